package notify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/regress"
)

const (
	// look is how often a target is compared with the regressions, or as often as alerts are
	// repeated.
	look = 10 * time.Second
	// grace is how long a request may go on after the end.
	grace = 2 * time.Second
	// Events in a request. Prometheus sends as many alerts.
	mostAlerts   = 64
	mostMessages = 20
)

// A delivery tells one target.
type delivery struct {
	target *Target
	sender *sender
	body   body
	list   func() ([]regress.Entry, error)
	told   *memory
	log    func(string)

	// Of run: see history.
	sent           map[string]int64
	tried, refused map[eventID]bool
	failures       int  // in a row
	single         bool // send one event per request: one was refused

	mu    sync.Mutex
	stats Status
}

// run tells the target until ctx is done.
func (d *delivery) run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-time.After(d.round(ctx)):
		case <-ctx.Done():
			return
		}
	}
}

// round sends one request, if there is something to tell, and returns how long to wait.
func (d *delivery) round(ctx context.Context) time.Duration {
	now := time.Now()
	p, err := d.plan(now.UnixNano())
	if err != nil {
		d.count(func(s *Status) { s.Failed++; s.Error = err.Error() })
		d.log(fmt.Sprintf("No notifications to %q: %v", d.target.Name, err))
		return longestWait
	}
	d.drop(p.late, "it failed for "+stale.String())
	d.note(p.quiet, now)
	if len(p.events) == 0 {
		d.single = false
		return min(look, time.Duration(d.target.Repeat))
	}
	batch := p.events[:min(len(p.events), d.most())]
	body, err := d.body(batch, now)
	if err != nil {
		d.refuse(batch, err.Error())
		return 0
	}
	a := d.post(ctx, body, now)
	if ctx.Err() != nil && a.err != nil {
		return 0
	}
	d.outcome(&a)
	switch judge(&a, len(batch)) {
	case taken:
		news := d.note(batch, now)
		d.count(func(s *Status) { s.Sent += news; s.Waiting -= news })
		return 0
	case single:
		d.single = true
		return firstWait
	case giveUp:
		d.refuse(batch, a.err.Error())
		return firstWait
	}
	for i := range batch {
		d.tried[batch[i].id()] = true
	}
	return backoff(d.failures, a.retryAfter, rand.Float64())
}

// plan returns what the target isn't told yet.
func (d *delivery) plan(now int64) (plan, error) {
	entries, err := d.list()
	if err != nil {
		return plan{}, err
	}
	told, err := d.told.of(d.target.Name)
	if err != nil {
		return plan{}, err
	}
	p := planOf(d.target, entries, history{told, d.sent, d.tried, d.refused}, now)
	waiting := int64(0)
	for i := range p.events {
		if p.events[i].what != repeated {
			waiting++
		}
	}
	d.count(func(s *Status) { s.Waiting = waiting })
	return p, nil
}

// most returns how many events a request may have.
func (d *delivery) most() int {
	switch {
	case d.single:
		return 1
	case d.target.Format == Alertmanager:
		return mostAlerts
	}
	return mostMessages
}

// post sends a body. The end of ctx leaves it a moment, so that the answer isn't lost and the
// next process doesn't send it again.
func (d *delivery) post(ctx context.Context, body []byte, now time.Time) answer {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	defer stop()
	return d.sender.post(lasting, body, now)
}

// outcome counts a request. The log gets the first failure of a row, those that differ from the
// one before, and the end of the row.
func (d *delivery) outcome(a *answer) {
	before := ""
	d.count(func(s *Status) {
		before, s.Error = s.Error, ""
		if a.err != nil {
			s.Failed++
			s.Error = a.err.Error()
		}
	})
	switch {
	case a.err == nil && d.failures > 0:
		d.log(fmt.Sprintf("Notifications to %q work again, after %d failures", d.target.Name, d.failures))
	case a.err != nil && a.err.Error() != before:
		d.log(fmt.Sprintf("A notification to %q failed and is sent again: %v", d.target.Name, a.err))
	}
	d.failures++
	if a.err == nil {
		d.failures = 0
	}
}

// note records that the target knows of events, and returns how many weren't repeated ones.
func (d *delivery) note(events []event, now time.Time) (news int64) {
	told := map[string]record{}
	for i := range events {
		e := &events[i]
		d.sent[e.entry.ID] = now.UnixNano()
		delete(d.tried, e.id())
		if e.what == repeated {
			continue
		}
		news++
		told[e.entry.ID] = recordOf(e, now.UnixNano())
		if told[e.entry.ID].Ended {
			delete(d.sent, e.entry.ID)
		}
	}
	if len(told) == 0 {
		return 0
	}
	if err := d.told.note(d.target.Name, told, now.UnixNano()); err != nil {
		d.log("Failed to keep what was notified; it may be sent again after a restart: " + err.Error())
	}
	return news
}

// refuse gives up events that the target refuses, until the next start.
func (d *delivery) refuse(events []event, why string) {
	for i := range events {
		d.refused[events[i].id()] = true
	}
	d.drop(events, why)
}

// drop counts events that are given up.
func (d *delivery) drop(events []event, why string) {
	for i := range events {
		e := &events[i]
		delete(d.tried, e.id())
		d.log(fmt.Sprintf("A notification to %q is given up: regression %s, %s: %s", d.target.Name, e.entry.ID, e.what, why))
	}
	d.count(func(s *Status) { s.Dropped += int64(len(events)) })
}

func (d *delivery) count(change func(*Status)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.stats)
}

func (d *delivery) state() Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.stats
	out.Name, out.Format = d.target.Name, d.target.Format
	return out
}

// test sends a test, and changes nothing.
func (d *delivery) test(ctx context.Context) Result {
	now := time.Now()
	out := Result{Name: d.target.Name, Format: d.target.Format}
	body, err := d.body([]event{{what: tested}}, now)
	if err != nil {
		out.Err = err
		return out
	}
	a := d.sender.post(ctx, body, now)
	out.Code, out.Text, out.Err, out.Took = a.code, a.text, a.err, time.Since(now)
	return out
}
