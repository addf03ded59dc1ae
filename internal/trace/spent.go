package trace

import (
	"cmp"
	"errors"
	"slices"

	"github.com/hone-go/hone/profile"
)

// Spent is where goroutines spent their time. Times are in nanoseconds.
type Spent struct {
	Duration   int64        `json:"duration"`             // of the trace
	Goroutines int          `json:"goroutines,omitempty"` // unknown, like the rest, of profiles
	LeftOut    *LeftOut     `json:"leftOut,omitempty"`
	Total      int64        `json:"total"` // of all goroutines
	States     []StateTime  `json:"states"`
	Places     []*PlaceTime `json:"places"`
}

// LeftOut counts goroutines that are in no sample; see Options.
type LeftOut struct {
	Idle   int `json:"idle"`
	System int `json:"system"`
	Agent  int `json:"agent"`
}

// A StateTime is the time in a state.
type StateTime struct {
	State     string `json:"state"`
	Time      int64  `json:"time"`
	Intervals int64  `json:"intervals"`
}

// A PlaceTime is a function of the program, or of a module it uses, and the
// function in which it then was.
type PlaceTime struct {
	StateTime
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	In       string `json:"in,omitempty"` // "" if that is Function
}

// ErrNoWall: a profile is of something else.
var ErrNoWall = errors.New("not a profile of wall-clock time: it has no sample type wall")

// Spend tells where the goroutines of a profile spent their time. stats are those of the
// trace, if the profile was made of one just now.
func Spend(p *profile.Profile, stats *Stats) (*Spent, error) {
	if !hasType(p, "wall") {
		return nil, ErrNoWall
	}
	wall, err := p.SampleIndex("wall")
	if err != nil {
		return nil, err
	}
	count := -1
	if hasType(p, "intervals") {
		if count, err = p.SampleIndex("intervals"); err != nil {
			return nil, err
		}
	}
	r := &Spent{Duration: p.DurationNanos, States: []StateTime{}, Places: []*PlaceTime{}}
	if stats != nil {
		r.Goroutines, r.LeftOut = stats.Goroutines, &LeftOut{stats.Idle, stats.System, stats.Agent}
	}
	table, err := profile.NewFrameTable("functions", false)
	if err != nil {
		return nil, err
	}
	frames := table.Add(p)
	type key struct {
		state     string
		where, in uint32
	}
	places := make(map[key]*PlaceTime)
	states := make(map[string]*StateTime)
	for s := range p.NumSamples() {
		state := ""
		for _, l := range p.SampleLabelSet(s) {
			if p.Strings[l.Key] == StateLabel && !l.Numeric {
				state = p.Strings[l.Str]
			}
		}
		value, n := p.Values[wall][s], int64(0)
		if count >= 0 {
			n = p.Values[count][s]
		}
		k := key{state: state}
		k.where, k.in = whereabouts(p, s, table, frames)
		at := places[k]
		if at == nil {
			where := table.Frame(k.where)
			at = &PlaceTime{StateTime: StateTime{State: state}, Function: where.Name, File: where.File}
			if k.in != k.where {
				at.In = table.Frame(k.in).Name
			}
			places[k] = at
			r.Places = append(r.Places, at)
		}
		if states[state] == nil {
			states[state] = &StateTime{State: state}
		}
		for _, t := range []*StateTime{states[state], &at.StateTime} {
			t.Time += value
			t.Intervals += n
		}
		r.Total += value
	}
	for _, t := range states {
		r.States = append(r.States, *t)
	}
	slices.SortFunc(r.States, func(a, b StateTime) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.State, b.State))
	})
	slices.SortFunc(r.Places, func(a, b *PlaceTime) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.State, b.State), cmp.Compare(a.Function, b.Function), cmp.Compare(a.In, b.In))
	})
	return r, nil
}

// whereabouts returns the innermost frame that is not of Go's library, if there
// is one, and the innermost frame.
func whereabouts(p *profile.Profile, s int, table *profile.FrameTable, frames *profile.FrameMap) (where, in uint32) {
	first := true
	for _, l := range p.Stack(s) {
		for _, ref := range frames.At(l) {
			i := ref.Index()
			if first {
				where, in, first = i, i, false
			}
			f := table.Frame(i)
			if o := f.Origin(); o != profile.OriginRuntime && o != profile.OriginStandard {
				return i, in
			}
		}
	}
	return where, in
}

func hasType(p *profile.Profile, name string) bool {
	return slices.ContainsFunc(p.SampleTypes, func(t profile.ValueType) bool { return t.Type == name })
}
