package notify

import (
	"cmp"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/regress"
)

// What an event says.
const (
	opened       = "opened"
	repeated     = "repeated" // to Alertmanagers: it goes on
	resolved     = "resolved"
	acknowledged = "acknowledged" // to Alertmanagers: it ends, because a person knows about it
	// unacknowledged is open again, because a person took the acknowledgement back. To
	// Alertmanagers.
	unacknowledged = "unacknowledged"
	tested         = "test"
)

// An event is something to tell about a regression.
type event struct {
	what  string
	entry regress.Entry
}

// at is when an event happened, in ns since 1970.
func (e *event) at() int64 {
	if e.what == resolved {
		return e.entry.Resolved
	}
	return e.entry.Opened
}

// id identifies an event: a regression can be opened several times.
func (e *event) id() eventID { return eventID{e.entry.ID, e.what, e.entry.Opened} }

type eventID struct {
	regression, what string
	opened           int64
}

// A record is what a target knows of a regression.
type record struct {
	Opened int64 `json:"opened"` // the opening that it is about, in ns since 1970
	Ended  bool  `json:"ended"`  // it isn't open any more, for the target
	At     int64 `json:"at"`     // when it was told, in ns since 1970
}

// stale is the age from which on a message about an event is useless. An Alertmanager is told
// what is, not what happened, so its alerts don't age.
const stale = 24 * time.Hour

// A history is what happened with a target so far.
type history struct {
	told map[string]record // by regression; kept over restarts
	// The others are of this process.
	sent    map[string]int64 // when an alert was sent the last time, by regression
	tried   map[eventID]bool // failed, and will be tried again
	refused map[eventID]bool // given up: the target refused them
}

// A plan is what a target isn't told yet.
type plan struct {
	events []event // oldest first
	late   []event // that failed until they were useless
	quiet  []event // to record without telling: acknowledgements, for messages
}

// planOf compares regressions with what a target knows.
func planOf(t *Target, entries []regress.Entry, h history, now int64) plan {
	var p plan
	for _, entry := range entries {
		if !t.wants(entry.Service) {
			continue
		}
		entry.Opened = cmp.Or(entry.Opened, entry.Found)
		e := event{eventOf(t, &entry, h, now), entry}
		switch {
		case e.what == "" || h.refused[e.id()]:
		case t.Format == JSON && (e.what == acknowledged || e.what == unacknowledged):
			p.quiet = append(p.quiet, e)
		case t.Format == JSON && now-e.at() > int64(stale):
			if h.tried[e.id()] {
				p.late = append(p.late, e)
			}
		default:
			p.events = append(p.events, e)
		}
	}
	slices.SortStableFunc(p.events, func(a, b event) int { return cmp.Compare(a.at(), b.at()) })
	return p
}

// eventOf returns what there is to tell about a regression, "" for nothing.
func eventOf(t *Target, e *regress.Entry, h history, now int64) string {
	rec, known := h.told[e.ID]
	firing := known && rec.Opened == e.Opened && !rec.Ended
	switch e.State {
	case regress.Open:
		if !firing {
			if known && rec.Opened == e.Opened {
				return unacknowledged // only an acknowledgement ends what is open
			}
			return opened
		}
		if t.Format == Alertmanager && now-h.sent[e.ID] >= int64(t.Repeat) {
			return repeated
		}
	case regress.Acknowledged:
		if firing {
			return acknowledged
		}
	case regress.Resolved:
		if firing {
			return resolved
		}
	}
	return ""
}

// recordOf returns what a target knows once it was told of an event.
func recordOf(e *event, now int64) record {
	return record{Opened: e.entry.Opened, Ended: e.what == resolved || e.what == acknowledged, At: now}
}
