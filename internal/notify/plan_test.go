package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/regress"
)

const (
	hour = int64(time.Hour)
	now  = 20_000 * 24 * hour
)

// found returns a regression that was opened at a time.
func found(id, state string, at int64) regress.Entry {
	return regress.Entry{
		Regression: regress.Regression{ID: id, Service: "shop", Kind: "cpu", Type: "cpu", Unit: "nanoseconds", Function: "cart.total", Version: "v2", Since: at - hour, Found: at, Growth: 0.184,
			Before: 5e7, After: 6e7, Affected: 4, Instances: 4, From: at - 6*hour, Middle: at - hour, To: at},
		State: state, Opened: at,
	}
}

// over returns a regression that is resolved.
func over(id string, at, resolved int64) regress.Entry {
	e := found(id, regress.Resolved, at)
	e.Resolved = resolved
	return e
}

// TestPlan lists what targets are told, by what they know.
func TestPlan(t *testing.T) {
	const ago = now - hour
	knows := func(opened int64, ended bool) map[string]record {
		return map[string]record{"a": {Opened: opened, Ended: ended}}
	}
	sent := func(ago time.Duration) map[string]int64 { return map[string]int64{"a": now - int64(ago)} }
	again := found("a", regress.Open, ago)
	again.Found = ago - 30*24*hour
	for _, test := range []struct {
		name         string
		entry        regress.Entry
		history      history
		alerts, json string // "quiet" is recorded only, "late" is given up
	}{
		{"new", found("a", regress.Open, ago), history{}, "opened", "opened"},
		{"known, just sent", found("a", regress.Open, ago), history{told: knows(ago, false), sent: sent(59 * time.Second)}, "", ""},
		{"known, to be repeated", found("a", regress.Open, ago), history{told: knows(ago, false), sent: sent(time.Minute)}, "repeated", ""},
		{"known, of an earlier process", found("a", regress.Open, ago), history{told: knows(ago, false)}, "repeated", ""},
		{"resolved", over("a", ago, now), history{told: knows(ago, false)}, "resolved", "resolved"},
		{"resolved and told", over("a", ago, now), history{told: knows(ago, true)}, "", ""},
		{"resolved before it was told", over("a", ago, now), history{}, "", ""},
		{"acknowledged", found("a", regress.Acknowledged, ago), history{told: knows(ago, false)}, "acknowledged", "quiet"},
		{"acknowledged and told", found("a", regress.Acknowledged, ago), history{told: knows(ago, true)}, "", ""},
		{"not acknowledged any more", found("a", regress.Open, ago), history{told: knows(ago, true)}, "unacknowledged", "quiet"},
		{"acknowledged before it was told", found("a", regress.Acknowledged, ago), history{}, "", ""},
		{"resolved after it was acknowledged", over("a", ago, now), history{told: knows(ago, true)}, "", ""},
		{"back", again, history{told: knows(ago-9*hour, true)}, "opened", "opened"},
		{"back before its end was told", again, history{told: knows(ago-9*hour, false)}, "opened", "opened"},
		{"a day old", found("a", regress.Open, now-25*hour), history{}, "opened", ""},
		{"failing for a day", found("a", regress.Open, now-25*hour), history{tried: map[eventID]bool{{"a", opened, now - 25*hour}: true}}, "opened", "late"},
		{"resolved a day ago", over("a", now-99*hour, now-25*hour), history{told: knows(now-99*hour, false)}, "resolved", ""},
		{"refused", found("a", regress.Open, ago), history{refused: map[eventID]bool{{"a", opened, ago}: true}}, "", ""},
	} {
		for format, want := range map[string]string{Alertmanager: test.alerts, JSON: test.json} {
			target := Target{Format: format}.withDefaults()
			p := planOf(&target, []regress.Entry{test.entry}, test.history, now)
			var got []string
			for _, e := range p.events {
				got = append(got, e.what)
			}
			for range p.late {
				got = append(got, "late")
			}
			for range p.quiet {
				got = append(got, "quiet")
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s, %s: got %q, want %q", test.name, format, got, want)
			}
		}
	}
}

// TestPlanOrder checks which services a target hears of, and that the oldest event is first.
func TestPlanOrder(t *testing.T) {
	other := found("o", regress.Open, now-hour)
	other.Service = "pay"
	target := Target{Format: JSON, Services: []string{"sh*"}}
	p := planOf(&target, []regress.Entry{found("b", regress.Open, now-hour), other, found("a", regress.Open, now-2*hour), over("c", now-3*hour, now-90*hour/60)},
		history{told: map[string]record{"c": {Opened: now - 3*hour}}}, now)
	var got []string
	for _, e := range p.events {
		got = append(got, e.entry.ID)
	}
	if strings.Join(got, " ") != "a c b" {
		t.Errorf("got %q", got)
	}
	// Regressions of an earlier hone have no time of opening.
	old := found("a", regress.Open, now-hour)
	old.Opened = 0
	if p := planOf(&target, []regress.Entry{old}, history{}, now); len(p.events) != 1 || p.events[0].entry.Opened != now-hour {
		t.Errorf("an old entry: %+v", p)
	}
}
