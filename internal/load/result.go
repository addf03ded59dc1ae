package load

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Result is what a run measured, without the requests of the warm-up. In JSON, times
// are in nanoseconds.
type Result struct {
	Started     time.Time     `json:"started"` // the first request that counts was due
	Elapsed     time.Duration `json:"elapsed"` // until the last answer, or the end of the period
	Period      time.Duration `json:"period"`  // in which requests were due; for a closed loop, Elapsed
	Asked       float64       `json:"asked"`   // requests per second that were due; 0 for a closed loop
	Rate        *float64      `json:"rate"`    // requests per second that succeeded within the period; nil if there are too few
	Succeeded   int64         `json:"succeeded"`
	Failed      int64         `json:"failed"`
	Overdue     int64         `json:"overdue"`               // succeeded after the period, so not in Rate
	Late        int64         `json:"late"`                  // sent late by the generator, though a connection was free
	Waited      int64         `json:"waited"`                // waited for a connection: all were busy, and no more may be opened
	Redirected  int64         `json:"redirected,omitempty"`  // further requests that were sent to follow redirections
	Bytes       int64         `json:"bytes"`                 // of answers
	Connections int           `json:"connections,omitempty"` // most that were open at once
	Streams     int           `json:"streams,omitempty"`     // most requests under way at once, if they share connections

	// Besides is what a driver measured in addition, in a type of the driver's. A sum of
	// results has none.
	Besides any `json:"-"`

	Response Quantiles `json:"response"` // since a request was due
	Service  Quantiles `json:"service"`  // since it was sent
	Lag      Quantiles `json:"lag"`      // from due until sent, without requests that waited for a connection

	Statuses []Status  `json:"statuses,omitempty"` // of all answers, the most frequent first
	Failures []Class   `json:"failures,omitempty"` // the most frequent first
	Silences []Silence `json:"silences,omitempty"` // times without any answer
	Windows  []Window  `json:"windows"`
	Rounds   []Round   `json:"rounds,omitempty"`

	Void        string `json:"void,omitempty"`    // why the figures are invalid; "" if they are valid
	Stopped     string `json:"stopped,omitempty"` // why the run ended early
	Interrupted bool   `json:"interrupted,omitempty"`

	tally     *tally  // what it is made of
	dueInHalf float64 // requests that were due in the second half of the period
}

// A Round counts what all users did in one round. Rounds follow each other in time.
type Round struct {
	Start     time.Duration `json:"start"`
	End       time.Duration `json:"end"`
	Succeeded int64         `json:"succeeded"`
	Failed    int64         `json:"failed"`
}

// Rate returns the requests that succeeded per second; nil if there are too few to tell.
func (r Round) Rate() *float64 { return rateOf(r.Succeeded, r.Succeeded+r.Failed, r.End-r.Start) }

// MarshalJSON writes the rate as well.
func (r Round) MarshalJSON() ([]byte, error) {
	type fields Round
	return json.Marshal(struct {
		fields
		Rate *float64 `json:"rate"`
	}{fields(r), r.Rate()})
}

// few is the least number of requests that give a rate: with fewer, one request more
// or less changes the rate by more than a fifth.
const few = 5

// rateOf returns how many of n requests per second those are that came within a
// period; nil if n is too small to tell.
func rateOf(came, n int64, period time.Duration) *float64 {
	if n < few || period <= 0 {
		return nil
	}
	rate := float64(max(0, came)) / period.Seconds()
	return &rate
}

// Quantile returns the response time that a share q, from 0 to 1, of all requests did
// not exceed. It is nil if that request failed.
func (r *Result) Quantile(q float64) *time.Duration {
	return quantile(r.tally.response, r.Failed, r.tally.lost, q)
}

// A Point of the curve of response times: a share Q of requests took at most Time.
type Point struct {
	Q    float64       `json:"q"`
	Time time.Duration `json:"time"`
}

// Curve returns quantiles of response times, to be drawn on a logarithmic scale of
// 1/(1-q). It ends at the slowest request, or before the first failed one.
func (r *Result) Curve() []Point { return r.curve(r.tally.response) }

// ServiceCurve returns the same of service times.
func (r *Result) ServiceCurve() []Point { return r.curve(r.tally.service) }

// above are the shares of slower requests that a curve has a point for, within a
// power of ten: round ones, since they are read as p50, p95 or p99.5.
var above = [...]float64{1, .9, .8, .7, .6, .5, .45, .4, .35, .3, .25, .22, .2, .18, .16, .14, .12, .11}

func (r *Result) curve(h *hdrhistogram.Histogram) []Point {
	var points []Point
	n := float64(r.Requests())
	for scale := 1.0; scale*n >= 1; scale /= 10 {
		for _, share := range above {
			if share *= scale; share*n < 1 {
				break
			}
			d := quantile(h, r.Failed, r.tally.lost, 1-share)
			if d == nil {
				return points
			}
			points = append(points, Point{1 - share, *d})
		}
	}
	if r.Failed == 0 && n > 0 {
		points = append(points, Point{1, time.Duration(h.Max())})
	}
	return points
}

// Requests returns the number of requests that succeeded or failed.
func (r *Result) Requests() int64 { return r.Succeeded + r.Failed }

// rate sets the rate at which requests succeeded within the period: never more than
// was asked for, of which there may be a part of a request more than was due.
func (r *Result) rate() {
	r.Rate = rateOf(r.Succeeded-r.Overdue, r.Requests(), r.Period)
	if r.Rate != nil && r.Asked > 0 {
		*r.Rate = min(*r.Rate, r.Asked)
	}
}

// Silent describes the longest time in which the service didn't answer; "" if there
// was none.
func (r *Result) Silent() string {
	if len(r.Silences) == 0 {
		return ""
	}
	return slices.MaxFunc(r.Silences, func(a, b Silence) int { return cmp.Compare(a.End-a.Start, b.End-b.Start) }).String()
}

// take sets what a result says of requests.
func (r *Result) take(t *tally) {
	r.Succeeded, r.Failed, r.Overdue, r.Late, r.Waited, r.Bytes = t.succeeded, t.failed, t.overdue, t.late, t.waited, t.bytes
	r.Redirected = t.redirected
	r.Response, r.Service, r.Lag = quantiles(t.response, t.failed, t.lost), quantiles(t.service, t.failed, t.lost), quantiles(t.lag, 0, 0)
	r.tally, r.Failures = t, nil
	r.Statuses = slices.Clone(t.statuses)
	slices.SortFunc(r.Statuses, func(a, b Status) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Status, b.Status)) })
	for _, c := range t.classes {
		r.Failures = append(r.Failures, *c)
	}
	slices.SortFunc(r.Failures, func(a, b Class) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
}

// Lose counts n requests, which were counted as successes, as failures: only after the
// run is it known that they were lost.
func (r *Result) Lose(n int64, f Failure) {
	t := r.tally
	if n = min(n, t.succeeded); n <= 0 {
		return
	}
	t.succeeded, t.failed, t.lost = t.succeeded-n, t.failed+n, t.lost+n
	t.overdue = min(t.overdue, t.succeeded)
	t.class(f.Class).add(n, cut(f.Text))
	r.take(t)
	r.rate()
}

// judge says why a run is void, if it is. One late request says nothing about the rest:
// of few it would be many percent.
func (r *Result) judge(late time.Duration, share float64) {
	if n := r.Requests() - r.Waited; r.Late > 1 && float64(r.Late) > share*float64(n) {
		r.Void = fmt.Sprintf("the generator sent %.1f %% of the requests more than %v late: the generator or its machine could not keep up",
			100*float64(r.Late)/float64(n), late)
	}
}

// Extent returns when the last thing in a result ended. That is a little later than
// Elapsed if the last window was collected after the last answer.
func (r *Result) Extent() time.Duration {
	end := r.Elapsed
	if n := len(r.Windows); n > 0 {
		end = max(end, r.Windows[n-1].End)
	}
	if n := len(r.Rounds); n > 0 {
		end = max(end, r.Rounds[n-1].End)
	}
	return end
}

// Sum adds up the results of consecutive periods of the same load. Their windows and
// rounds follow each other in the sum. Without results it returns nil.
func Sum(results ...*Result) *Result {
	if len(results) == 0 {
		return nil
	}
	all := newTally()
	sum := &Result{Started: results[0].Started}
	var asked float64
	var start time.Duration
	for i, r := range results {
		all.merge(r.tally)
		for _, w := range r.Windows {
			w.Start, w.End = w.Start+start, w.End+start
			sum.Windows = append(sum.Windows, w)
		}
		for _, s := range r.Silences {
			s.Start, s.End = s.Start+start, s.End+start
			sum.Silences = append(sum.Silences, s)
		}
		for _, round := range r.Rounds {
			round.Start, round.End = round.Start+start, round.End+start
			sum.Rounds = append(sum.Rounds, round)
		}
		start += r.Extent()
		sum.Elapsed += r.Elapsed
		if sum.Period += r.Period; sum.Period > 0 {
			asked += (r.Asked - asked) * float64(r.Period) / float64(sum.Period) // exact where all are the same
		}
		sum.Connections, sum.Streams = max(sum.Connections, r.Connections), max(sum.Streams, r.Streams)
		if sum.Void == "" && r.Void != "" {
			sum.Void = r.Void
			if len(results) > 1 { // the figures of the sum are different
				sum.Void = fmt.Sprintf("in period %d of %d, %s", i+1, len(results), r.Void)
			}
		}
		sum.Stopped = cmp.Or(sum.Stopped, r.Stopped)
		sum.Interrupted = sum.Interrupted || r.Interrupted
	}
	sum.take(all)
	sum.Asked = asked
	sum.rate()
	return sum
}
