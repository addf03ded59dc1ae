package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var endless = newPeriod(0, math.MaxInt64)

// resultOf is the result of requests that took times, and of failed ones.
func resultOf(failed int, times ...time.Duration) *Result {
	t := newTally()
	for i, d := range times {
		t.add(Request{N: int64(i)}, Outcome{Done: d}, endless, time.Hour)
	}
	for range failed {
		t.add(Request{}, Outcome{Failure: &Failure{"bad", "very bad"}}, endless, time.Hour)
	}
	r := &Result{Elapsed: time.Second, Period: time.Second}
	r.take(t)
	r.rate()
	return r
}

func upTo(n int, unit time.Duration) (all []time.Duration) {
	for i := range n {
		all = append(all, time.Duration(i+1)*unit)
	}
	return all
}

func TestQuantiles(t *testing.T) {
	r := resultOf(0, upTo(1000, time.Millisecond)...)
	for q, want := range map[float64]time.Duration{.001: 1, .5: 500, .9: 900, .99: 990, .999: 999, .9999: 1000} {
		want *= time.Millisecond
		if got := r.Quantile(q); got == nil || math.Abs(float64(*got-want)) > .001*float64(want) {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if *r.Response.P99 != *r.Quantile(.99) || *r.Response.Max < 999*time.Millisecond {
		t.Errorf("%+v", r.Response)
	}
}

// TestShortTimes: an error of a thousandth, also of a few microseconds.
func TestShortTimes(t *testing.T) {
	for _, d := range []time.Duration{2, 900, 12_345, 98_765, 1_234_567} {
		if got := *resultOf(0, d).Response.P50; math.Abs(float64(got-d)) > .001*float64(d) {
			t.Errorf("%v is %v", d, got)
		}
	}
}

// TestLimits: a service that fails in ever new words fills no memory.
func TestLimits(t *testing.T) {
	all := newTally()
	for i := range 10 * classes {
		all.add(Request{}, Outcome{Failure: &Failure{fmt.Sprint(i), strings.Repeat("ä", 10_000)}}, endless, time.Hour)
	}
	if n := len(all.classes); n != classes+1 || all.classes["other"].Count != 9*classes {
		t.Errorf("%d classes, of which other has %d", n, all.classes["other"].Count)
	}
	if n := len(all.classes["0"].Samples[0]); n > textBytes+10 {
		t.Errorf("%d bytes of a text", n)
	}
}

// TestFailedAreSlowest: what fails at once does not make a service faster.
func TestFailedAreSlowest(t *testing.T) {
	r := resultOf(20, upTo(980, time.Millisecond)...)
	if got := r.Quantile(.98); got == nil || *got < 979*time.Millisecond {
		t.Errorf("quantile 0.98 is %v", got)
	}
	if got := r.Quantile(.981); got != nil {
		t.Errorf("quantile 0.981 is %v, of a failed request", *got)
	}
	if r.Response.P99 != nil || r.Response.P50 == nil {
		t.Errorf("%+v", r.Response)
	}
	points := r.Curve()
	if last := points[len(points)-1]; last.Q > .98 {
		t.Errorf("the curve goes on to %v", last)
	}
	if r := resultOf(3); r.Response.P50 != nil || len(r.Curve()) != 0 {
		t.Error("without an answer there are quantiles")
	}
}

func TestSum(t *testing.T) {
	a, b := resultOf(1, upTo(10, time.Millisecond)...), resultOf(2, upTo(30, time.Millisecond)...)
	a.Asked, b.Asked, b.Void = 11, 32, "why"
	a.Windows, b.Windows = []Window{{End: time.Second}}, []Window{{End: time.Second}}
	s := Sum(a, b)
	if s.Succeeded != 40 || s.Failed != 3 || s.Elapsed != 2*time.Second || s.Asked != 21.5 || s.Void != "in period 2 of 2, why" || Sum(b).Void != "why" || *s.Rate != 20 || s.Failures[0].Count != 3 {
		t.Errorf("%+v", s)
	}
	if s.Windows[1].Start != time.Second || s.Windows[1].End != 2*time.Second {
		t.Errorf("windows %+v", s.Windows)
	}
	if got := *s.Response.P50; got < 11*time.Millisecond || got > 12*time.Millisecond+time.Millisecond/10 {
		t.Errorf("median %v of 1–10 and 1–30 ms, with three failures", got)
	}
	if a.Succeeded != 10 || a.tally.response.TotalCount() != 10 {
		t.Error("Sum changed what it adds up")
	}
	if Sum() != nil {
		t.Error("the sum of nothing is something")
	}
}

func TestClasses(t *testing.T) {
	for want, err := range map[string]error{
		"refused":              &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"reset":                fmt.Errorf("read: %w", syscall.ECONNRESET),
		"closed early":         io.ErrUnexpectedEOF,
		"timeout":              context.DeadlineExceeded,
		"no answer by the end": context.Canceled,
		"name not found":       &net.OpError{Op: "dial", Err: &net.DNSError{Name: "x", IsNotFound: true}},
		"other":                errors.New("?"),
	} {
		if f := FailureOf(err); f.Class != want || f.Text != err.Error() {
			t.Errorf("%v is %+v, want %s", err, f, want)
		}
	}
	if FailureOf(nil) != nil {
		t.Error("no error is a failure")
	}
	var c Class
	for i := range 10 {
		c.add(2, fmt.Sprint(i%5))
	}
	if c.Count != 20 || len(c.Samples) != samples {
		t.Errorf("%+v", c)
	}
}

func TestGoals(t *testing.T) {
	r := resultOf(10, upTo(990, time.Millisecond)...)
	for text, met := range map[string]bool{
		"p50<=501ms": true, "p50 < 499ms": false, "p99<=2s": true, "p99.1<=2s": false, "max<=991ms": false, "mean<=400ms": false,
		"rate>=990": true, "rate>=59401/m": false, "failed<=1%": true, "failed<=0.009": false, "failed>=0": true,
	} {
		g, err := ParseGoal(text)
		if err != nil || g.Met(r) != met {
			t.Errorf("%s: %v, met %v", text, err, g.Met(r))
		}
	}
	for _, text := range []string{"", "p99", "p99<=", "p99<=10", "p0<=1s", "p100<=1s", "q<=1s", "rate>=fast", "failed<=1s", "p<=1s"} {
		if _, err := ParseGoal(text); err == nil {
			t.Errorf("ParseGoal(%q) gives no error", text)
		}
	}
}

func TestRateText(t *testing.T) {
	for rate, want := range map[float64]string{0.25: "0.25", 11.5625: "11.56", 703.125: "703.1", 999.99: "1000", 1024.5: "1024", 10240: "10240", 1e8: "100000000"} {
		if got := RateText(rate); got != want {
			t.Errorf("RateText(%v) is %s, want %s", rate, got, want)
		}
	}
	r := asked(10240, resultOf(0, upTo(9868, 1)...))
	if got, want := missed(r, nil), "9868 of 10240 requests per second were answered in the second half of the period"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// asked makes a result that of a rate, with answers all the time.
func asked(rate float64, r *Result) *Result {
	r.Asked, r.dueInHalf = rate, rate/2
	r.tally.settled = r.Succeeded / 2
	return r
}

// TestFind: a service that slows down with the rate, once by chance.
func TestFind(t *testing.T) {
	goal, err := ParseGoal("p99<=100ms")
	if err != nil {
		t.Fatal(err)
	}
	hiccup := true
	try := func(_ context.Context, rate float64) (*Result, error) {
		d := time.Millisecond
		if rate > 700 || hiccup && rate == 20 {
			d = time.Second
			hiccup = hiccup && rate != 20
		}
		return asked(rate, resultOf(0, slices.Repeat([]time.Duration{d}, int(rate))...)), nil
	}
	told := 0
	best, tries, err := Find(t.Context(), 10, .05, []Goal{goal}, try, func(Try) { told++ })
	if err != nil || best.Rate > 700 || best.Rate < 660 || told != len(tries) {
		t.Errorf("%v, %+v", err, best)
	}
	if _, _, err = Find(t.Context(), 1000, .05, []Goal{goal}, try, nil); !errors.Is(err, ErrTooSlow) {
		t.Errorf("a search that begins too high: %v", err)
	}
	slow := func(_ context.Context, rate float64) (*Result, error) {
		return asked(rate, resultOf(0, upTo(min(300, int(rate)), 1)...)), nil
	}
	if best, _, err = Find(t.Context(), 10, .05, nil, slow, nil); err != nil || best.Rate > 305 {
		t.Errorf("a service that answers 300 per second: %v, %+v", err, best)
	}
	void := func(_ context.Context, rate float64) (*Result, error) {
		r := asked(float64(int(rate)), resultOf(0, upTo(int(rate), 1)...))
		if rate > 500 {
			r.Void = "lagged"
		}
		return r, nil
	}
	if best, _, err = Find(t.Context(), 10, .05, nil, void, nil); err != nil || best.Rate > 500 {
		t.Errorf("a generator that reaches 500 per second: %v, %+v", err, best)
	}
}

// TestFewLate: a request that was sent late doesn't void a run of few.
func TestFewLate(t *testing.T) {
	for late, void := range map[int64]bool{0: false, 1: false, 2: true} {
		r := resultOf(0, upTo(10, time.Millisecond)...)
		r.Late = late
		if r.judge(time.Millisecond, .01); (r.Void != "") != void {
			t.Errorf("%d of 10 sent late: %q", late, r.Void)
		}
	}
}
