package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

// A Pprof is a service with the pages of net/http/pprof.
type Pprof struct {
	URL string // of the pages: http://HOST:PORT/debug/pprof
	CA  string // file with certificates for https; "": the system's
}

// NewPprof returns the service at an address such as localhost:6060, or at the URL of its
// pages.
func NewPprof(address, ca string) *Pprof {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	address = strings.TrimRight(address, "/")
	if _, rest, _ := strings.Cut(address, "://"); !strings.Contains(rest, "/") {
		address += "/debug/pprof"
	}
	return &Pprof{URL: address, CA: ca}
}

// Fetch takes a profile of the service, for [Plan.Fetch].
func (s *Pprof) Fetch(ctx context.Context, kind string, seconds int) (*profile.Profile, error) {
	switch kind {
	case "allocs":
		return s.allocations(ctx, time.Duration(seconds)*time.Second)
	case "cpu":
		kind = "profile"
	}
	return s.get(ctx, kind, seconds)
}

func (s *Pprof) get(ctx context.Context, path string, seconds int) (*profile.Profile, error) {
	limits := profile.DefaultLimits()
	loader := &capture.Loader{
		Fetcher: &capture.Fetcher{Seconds: seconds, MaxBytes: limits.Bytes, TLSCA: s.CA}, Limits: limits,
		Warn: func(error) {},
	}
	return loader.Load(ctx, []string{s.URL + "/" + path})
}

// allocations returns what was allocated within a time. What a service has
// allocated is in its profile after a garbage collection only, so there is one at
// either end.
func (s *Pprof) allocations(ctx context.Context, d time.Duration) (*profile.Profile, error) {
	before, err := s.get(ctx, "heap?gc=1", 0)
	if err != nil {
		return nil, err
	}
	if err := Pause(ctx, d); err != nil {
		return nil, err
	}
	after, err := s.get(ctx, "heap?gc=1", 0)
	if err != nil {
		return nil, err
	}
	for _, p := range []*profile.Profile{before, after} {
		if len(p.SampleTypes) != 4 || p.SampleTypes[0].Type != "alloc_objects" || p.SampleTypes[1].Type != "alloc_space" {
			return nil, errors.New("the service's heap profile has no allocations")
		}
		p.SampleTypes, p.Values = p.SampleTypes[:2], p.Values[:2] // what is in use has no difference
		p.DefaultSampleType = "alloc_space"
	}
	within, err := profile.Sum(ctx, after, profile.Scale(before, -1))
	if err == nil {
		within.TimeNanos, within.DurationNanos = before.TimeNanos, int64(d)
	}
	return within, err
}

// memoryLine is a line of what net/http/pprof writes below a heap profile in text.
var memoryLine = lazyregexp.New(`(?m)^# (TotalAlloc|Mallocs|NumGC) = (\d+)$`)

// Memory reads what the service has allocated, for [Plan.Memory].
func (s *Pprof) Memory(ctx context.Context) (Memory, error) {
	var m Memory
	fetcher := &capture.Fetcher{MaxBytes: profile.DefaultLimits().Bytes, TLSCA: s.CA}
	source, err := fetcher.Open(ctx, s.URL+"/allocs?debug=1")
	if err != nil {
		return m, err
	}
	defer source.Reader.Close()
	text, err := io.ReadAll(source.Reader)
	if err != nil {
		return m, err
	}
	to := map[string]*uint64{"TotalAlloc": &m.Bytes, "Mallocs": &m.Objects, "NumGC": &m.GCs}
	for _, line := range memoryLine.Get().FindAllSubmatch(text, -1) {
		if v := to[string(line[1])]; v != nil {
			*v, _ = strconv.ParseUint(string(line[2]), 10, 64) // digits alone, so too large at most
			delete(to, string(line[1]))
		}
	}
	if len(to) > 0 {
		return m, errors.New("the service's allocs profile in text does not end with the figures of the runtime")
	}
	return m, nil
}

// UsualCollection is a time in which an agent with the usual period, a minute, has
// begun and ended a profile of each kind.
const UsualCollection = 130 * time.Second

// A Collector has profiles of the service that others took: a hone serve.
type Collector interface {
	// Records returns the profiles of a kind from a time, those that have arrived by now.
	Records(ctx context.Context, kind string, from, to time.Time) ([]Record, error)
	Profile(ctx context.Context, id string) (*profile.Profile, error)
	// Name says in errors where which profiles are looked for.
	Name(kind string) string
}

// A Record is a profile that a Collector has.
type Record struct {
	ID       string
	Instance string // the process that it belongs to
	Duration time.Duration
	End      time.Time
}

// FetchCollected returns the sum of the profiles of a kind that begin and end within a time, as
// if one process had taken them one after the other. It is for [Plan.Fetch].
func FetchCollected(ctx context.Context, c Collector, kind string, seconds int) (*profile.Profile, error) {
	from := time.Now()
	to := from.Add(time.Duration(seconds) * time.Second)
	if err := Pause(ctx, time.Until(to)); err != nil {
		return nil, err
	}
	found, err := arrived(ctx, c, kind, from, to)
	if err != nil {
		return nil, err
	}
	var all []*profile.Profile
	var length time.Duration
	instances := make(map[string]bool)
	for _, r := range found {
		p, err := c.Profile(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
		length += r.Duration
		instances[r.Instance] = true
	}
	sum, err := profile.Sum(ctx, all...)
	if err == nil {
		// Instances share the requests, at the same time.
		sum.TimeNanos, sum.DurationNanos = from.UnixNano(), int64(length)/int64(len(instances))
	}
	return sum, err
}

const (
	arrival = time.Minute     // how long profiles may take from their end to the server
	quiet   = 5 * time.Second // if none came for so long, all are taken to be there
)

// arrived waits for profiles that begin and end within a time.
func arrived(ctx context.Context, c Collector, kind string, from, to time.Time) (found []Record, err error) {
	for last := time.Now(); time.Since(to) < arrival; {
		all, err := c.Records(ctx, kind, from, to)
		if err != nil {
			return nil, err
		}
		within := slices.DeleteFunc(all, func(r Record) bool { return r.End.After(to) })
		if len(within) != len(found) {
			found, last = within, time.Now()
		}
		if len(found) > 0 && time.Since(last) > quiet {
			return found, nil
		}
		if err := Pause(ctx, quiet/10); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no profile of %s began and ended within the load: set -profiletime to at least two periods of its agent", c.Name(kind))
	}
	return found, nil
}
