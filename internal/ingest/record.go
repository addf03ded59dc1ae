package ingest

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// What a push becomes: labels, kind, time and identity of a record.

// UnknownService is the service of pushes that name none.
const UnknownService = "unknown"

type peerKey struct{}

// WithPeer returns a context that tells the host that sends, without a port. It
// becomes the instance of profiles that come without one.
func WithPeer(ctx context.Context, host string) context.Context {
	return context.WithValue(ctx, peerKey{}, host)
}

// peerOf returns the host that sends, "" if unknown.
func peerOf(ctx context.Context) string {
	host, _ := ctx.Value(peerKey{}).(string)
	return host
}

// normalize returns the labels of a push in their stored form, and how many were cut.
func (c *Config) normalize(in []store.Label, peer string) (labels store.Labels, cut int, refused *Error) {
	// Defaults stand first: of several of one name the last one counts.
	out := make([]store.Label, 0, len(in)+2)
	out = append(out, store.Label{Name: store.LabelService, Value: UnknownService})
	if peer != "" {
		out = append(out, store.Label{Name: store.LabelInstance, Value: peer})
	}
	for _, l := range in {
		if l.Value == "" {
			continue
		}
		if l.Value = cleanText(l.Value); len(l.Value) > c.MaxValue || len(l.Name) > c.MaxName {
			l.Name, l.Value = shorten(l.Name, c.MaxName), shorten(l.Value, c.MaxValue)
			cut++
		}
		if l.Name = validName(l.Name); slices.Contains(reservedNames, l.Name) {
			l.Name = Exported + l.Name
		}
		out = append(out, l)
	}
	labels, err := store.NewLabels(out...)
	if err != nil {
		return nil, 0, &Error{Reason: Malformed, Err: err}
	}
	if len(labels) > c.MaxLabels {
		return nil, 0, Errorf(TooLarge, "the profile has %d labels; the limit is %d", len(labels), c.MaxLabels)
	}
	return labels, cut, nil
}

// Exported is the prefix for labels of a sender whose names have another meaning in hone.
const Exported = "exported_"

// reservedNames are names that other tools' queries have for labels of hone's: who sends a
// label of such a name would add to what those list.
var reservedNames = []string{"service_name", "__service_name__", "__name__", "__profile_type__", "__type__", "__unit__", "__period_type__", "__period_unit__"}

// check refuses profiles that can be decoded but mean nothing.
func check(p *profile.Profile) *Error {
	if len(p.SampleTypes) == 0 {
		return Errorf(Malformed, "the profile has no sample types")
	}
	for t, st := range p.SampleTypes {
		for _, other := range p.SampleTypes[:t] {
			if other.Type == st.Type {
				return Errorf(Malformed, "the profile has sample type %q twice", st.Type)
			}
		}
	}
	return checkReach(p)
}

const (
	// Samples share stacks and labels, and stacks share locations with many inlined
	// functions, so a few bytes can stand for any number of frames. Profilers' samples
	// have some tens of labels, and their profiles a hundredth of these frames.
	maxSampleLabels = 1024
	maxLineFrames   = 64 << 20
)

// checkReach refuses profiles whose samples stand for far more than they are.
func checkReach(p *profile.Profile) *Error {
	for _, set := range p.LabelSets {
		if set.Len > maxSampleLabels {
			return Errorf(TooLarge, "a sample has %d labels; the limit is %d", set.Len, maxSampleLabels)
		}
	}
	// Most profiles are so small that their samples need not be gone through.
	frames, most := uint64(0), uint64(1)
	for s := range p.Stacks {
		frames += uint64(p.Stacks[s].Len)
	}
	for l := range p.Locations {
		most = max(most, uint64(p.Locations[l].NumLines))
	}
	if frames <= maxLineFrames/most {
		return nil
	}
	frames = 0
	for s := range p.Stacks {
		for _, l := range p.Stack(s) {
			frames += uint64(max(p.Locations[l].NumLines, 1))
		}
		if frames > maxLineFrames {
			return Errorf(TooLarge, "the stacks have more than %d frames, including inlined ones, which is the limit", maxLineFrames)
		}
	}
	return nil
}

// arrivals gives times to profiles without one. That of profiles with a key is
// remembered for as long as it takes to send them again: a record is known by its id
// and time.
type arrivals struct {
	mu       sync.Mutex
	last     int64
	now, old map[store.ID]int64
}

// next returns a time that no profile got before: t, or the next one after the last.
func (r *arrivals) next(t int64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = max(t, r.last+1)
	return r.last
}

const rememberedArrivals = 8192

// time returns the time of the record with an id, which is t unless it is known.
func (r *arrivals) time(id store.ID, t int64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.now[id]; ok {
		return known
	}
	if known, ok := r.old[id]; ok {
		return known
	}
	if r.now == nil || len(r.now) >= rememberedArrivals {
		r.now, r.old = make(map[store.ID]int64), r.now
	}
	r.now[id] = t
	return t
}

// KindOf returns the kind of a profile that was sent without one.
//
//	sample types                  kind
//	cpu, or the period is of cpu  cpu
//	wall                          wall
//	inuse_*, space                heap, but
//	  with alloc_* as default     allocs
//	alloc_* alone                 allocs
//	contentions and delay         mutex if its stacks end where locks are released,
//	                              block if they end where goroutines wait,
//	                              contention if there is no stack to tell
//	goroutine(s)                  goroutine
//	threadcreate                  threadcreate
//	off_cpu                       offcpu
//	others                        the type of the period, or else of the last sample type
//
// Go's mutex and block profiles differ in nothing but their stacks.
func KindOf(p *profile.Profile) string {
	has := map[string]bool{}
	for _, t := range p.SampleTypes {
		has[t.Type] = true
	}
	switch {
	case has["cpu"], p.PeriodType.Type == "cpu":
		return "cpu"
	case has["wall"], p.PeriodType.Type == "wall":
		return "wall"
	case has["inuse_space"], has["inuse_objects"], has["space"]:
		if strings.HasPrefix(p.DefaultSampleType, "alloc_") {
			return "allocs"
		}
		return "heap"
	case has["alloc_space"], has["alloc_objects"]:
		return "allocs"
	case has["contentions"] && has["delay"]:
		return contention(p)
	case has["goroutine"], has["goroutines"]:
		return "goroutine"
	case has["threadcreate"]:
		return "threadcreate"
	case has["off_cpu"]:
		return "offcpu"
	}
	if t := p.PeriodType.Type; t != "" {
		return t
	}
	if t := p.SampleTypes[len(p.SampleTypes)-1].Type; t != "" {
		return t
	}
	return UnknownService
}

// contention tells mutex from block profiles by the first stacks.
func contention(p *profile.Profile) string {
	for s := range min(p.NumSamples(), 16) {
		stack := p.Stack(s)
		if len(stack) == 0 {
			continue
		}
		lines := p.LocationLines(stack[0])
		if len(lines) == 0 {
			continue
		}
		name := p.FunctionName(lines[0].Function)
		switch method := name[strings.LastIndexByte(name, '.')+1:]; method {
		case "Unlock", "RUnlock", "unlock", "unlock2", "unlockWithRank", "unlockSlow", "rUnlockSlow", "_LostContendedRuntimeLock", "_LostContendedLock":
			return "mutex"
		case "":
		default:
			return "block"
		}
	}
	return "contention"
}
