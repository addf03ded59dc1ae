package load

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Histograms hold times from a nanosecond to an hour with an error of at most 0.1 %.
const (
	shortest = int64(time.Nanosecond)
	longest  = int64(time.Hour)
	digits   = 3
)

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(shortest, longest, digits) }

func record(h *hdrhistogram.Histogram, d time.Duration, n int64) {
	_ = h.RecordValues(min(max(int64(d), 0), longest), n) // what is out of range is not
}

// A Status counts the answers with a status code, successes and failures.
type Status struct {
	Status int   `json:"status"`
	Count  int64 `json:"count"`
}

// A Class counts the failures of one kind.
type Class struct {
	Name    string   `json:"name"`
	Count   int64    `json:"count"`
	Samples []string `json:"samples"` // up to 3 different texts
}

// A tally counts the outcomes of some requests.
type tally struct {
	response, service *hdrhistogram.Histogram // of those that succeeded
	lag               *hdrhistogram.Histogram // of the generator
	succeeded, failed int64
	overdue           int64 // succeeded after the period
	settled           int64 // succeeded in the second half of the period
	lost              int64 // failed, though their times are among those that succeeded
	late, waited      int64
	redirected        int64 // requests that were sent beside those, as answers asked for them
	bytes             int64
	statuses          []Status
	classes           map[string]*Class
}

func newTally() *tally {
	return &tally{response: newHistogram(), service: newHistogram(), lag: newHistogram(), classes: make(map[string]*Class)}
}

// add takes an outcome of a period.
func (t *tally) add(r Request, o Outcome, p *period, late time.Duration) {
	n := int64(max(o.Messages, 1))
	if o.Waited {
		t.waited += n
	} else {
		lag := o.Sent - r.Due
		record(t.lag, lag, n)
		if lag > late {
			t.late += n
		}
	}
	if o.Status != 0 {
		t.answered(o.Status, n)
	}
	for _, status := range o.Before {
		t.answered(status, n)
		t.redirected += n
	}
	if o.Failure != nil {
		t.failed += n
		t.class(o.Failure.Class).add(n, cut(o.Failure.Text))
		return
	}
	t.succeeded += n
	if end := p.end(); o.Done > end {
		t.overdue += n
	} else if o.Done > p.from+(end-p.from)/2 {
		t.settled += n
	}
	t.bytes += int64(o.Bytes)
	record(t.response, o.Done-r.Due, n)
	record(t.service, o.Done-o.Sent, n)
}

// What a service sends must not fill the memory: there are at most so many classes of
// failures, the rest counts as "other", and a text has at most so many bytes.
const (
	classes   = 100
	textBytes = 300
)

func cut(text string) string {
	if len(text) > textBytes {
		return strings.ToValidUTF8(text[:textBytes], "") + "…"
	}
	return text
}

func (t *tally) class(name string) *Class {
	c := t.classes[cut(name)]
	if c == nil {
		if name = cut(name); len(t.classes) >= classes {
			name = "other"
		}
		if c = t.classes[name]; c != nil {
			return c
		}
		c = &Class{Name: name}
		t.classes[name] = c
	}
	return c
}

// answered counts answers of a status. There are few statuses, and the first one is
// that of most answers.
func (t *tally) answered(status int, n int64) {
	for i := range t.statuses {
		if t.statuses[i].Status == status {
			t.statuses[i].Count += n
			return
		}
	}
	t.statuses = append(t.statuses, Status{status, n})
}

// merge adds another tally to t.
func (t *tally) merge(o *tally) {
	t.response.Merge(o.response)
	t.service.Merge(o.service)
	t.lag.Merge(o.lag)
	t.succeeded += o.succeeded
	t.failed += o.failed
	t.overdue += o.overdue
	t.settled += o.settled
	t.lost += o.lost
	t.late += o.late
	t.waited += o.waited
	t.redirected += o.redirected
	t.bytes += o.bytes
	for _, s := range o.statuses {
		t.answered(s.Status, s.Count)
	}
	for name, c := range o.classes {
		t.class(name).add(c.Count, c.Samples...)
	}
}

// reset empties a tally.
func (t *tally) reset() {
	t.response.Reset()
	t.service.Reset()
	t.lag.Reset()
	clear(t.classes)
	*t = tally{response: t.response, service: t.service, lag: t.lag, statuses: t.statuses[:0], classes: t.classes}
}

// samples is how many different texts of a class are kept.
const samples = 3

func (c *Class) add(n int64, texts ...string) {
	c.Count += n
texts:
	for _, text := range texts {
		if len(c.Samples) == samples {
			return
		}
		for _, known := range c.Samples {
			if known == text {
				continue texts
			}
		}
		c.Samples = append(c.Samples, text)
	}
}

// A period is the part of a run whose requests count: those that are due within it.
// Answers after its end are overdue and don't count in the rate.
type period struct {
	from  time.Duration
	until atomic.Int64 // a time.Duration; it moves forward when a run is cut short
}

func newPeriod(from, end time.Duration) *period {
	p := &period{from: from}
	p.until.Store(int64(end))
	return p
}

func (p *period) end() time.Duration { return time.Duration(p.until.Load()) }

// cut ends the period now, if it has not ended.
func (p *period) cut(now time.Duration) {
	p.until.Store(min(p.until.Load(), max(int64(p.from), int64(now))))
}

// A Window counts the requests that ended within about a second of a run.
type Window struct {
	Start     time.Duration `json:"start"` // since the end of the warm-up
	End       time.Duration `json:"end"`
	Asked     float64       `json:"asked"` // requests per second that were due
	Succeeded int64         `json:"succeeded"`
	Failed    int64         `json:"failed"`
	Overdue   int64         `json:"overdue,omitempty"` // succeeded, but after the period
	Late      int64         `json:"late"`
	Response  Quantiles     `json:"response"`
}

// A recorder counts outcomes that come from many goroutines.
type recorder struct {
	period *period
	late   time.Duration
	shards []shard
	window *tally // of the present second, while it is collected
	total  *tally
}

type shard struct {
	mu sync.Mutex
	*tally
	_ [64]byte // a line of the cache to each
}

func newRecorder(p *period, late time.Duration) *recorder {
	r := &recorder{period: p, late: late, shards: make([]shard, runtime.GOMAXPROCS(0)), window: newTally(), total: newTally()}
	for i := range r.shards {
		r.shards[i].tally = newTally()
	}
	return r
}

func (rec *recorder) add(r Request, o Outcome) {
	s := &rec.shards[uint64(r.N)%uint64(len(rec.shards))]
	s.mu.Lock()
	s.add(r, o, rec.period, rec.late)
	s.mu.Unlock()
}

// collect returns what ended since the last call.
func (rec *recorder) collect(start, end time.Duration) Window {
	for i := range rec.shards {
		s := &rec.shards[i]
		s.mu.Lock()
		rec.window.merge(s.tally)
		s.reset()
		s.mu.Unlock()
	}
	w := Window{
		Start: start, End: end,
		Succeeded: rec.window.succeeded, Failed: rec.window.failed, Overdue: rec.window.overdue, Late: rec.window.late,
		Response: quantiles(rec.window.response, rec.window.failed, 0),
	}
	rec.total.merge(rec.window)
	rec.window.reset()
	return w
}
