package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/load/measure"
	"github.com/hone-go/hone/profile"
)

// profiled adds the profiles that flags ask for to a plan.
func (f *loadFlags) profiled(ctx context.Context, a *app, plan *measure.Plan) error {
	if f.profile == "" {
		return nil
	}
	plan.Profiles = strings.Split(f.profile, ",")
	if f.collected == "" {
		plan.Fetch, plan.Memory = f.Fetch, f.memory
		return nil
	}
	if !f.given("profiletime") {
		plan.ProfileTime = usualCollection
	}
	client, err := f.server.client(ctx, a, "load", &capture.Fetcher{})
	selector := f.collected
	if !strings.HasPrefix(selector, "{") {
		selector = "{service=" + strconv.Quote(selector) + "}"
	}
	plan.Fetch = (&servedProfiles{client, selector}).fetch
	return err
}

// Fetch takes a profile of the service.
func (f *loadFlags) Fetch(ctx context.Context, kind string, seconds int) (*profile.Profile, error) {
	switch kind {
	case "allocs":
		return f.fetchAllocations(ctx, time.Duration(seconds)*time.Second)
	case "cpu":
		kind = "profile"
	}
	return f.fetchFrom(ctx, kind, seconds)
}

func (f *loadFlags) fetchFrom(ctx context.Context, path string, seconds int) (*profile.Profile, error) {
	limits := profile.DefaultLimits()
	loader := &capture.Loader{
		Fetcher: &capture.Fetcher{Seconds: seconds, MaxBytes: limits.Bytes, TLSCA: f.tls.CA}, Limits: limits,
		Warn: func(error) {},
	}
	return loader.Load(ctx, []string{f.pprof + "/" + path})
}

// fetchAllocations returns what was allocated within a time. What a service has
// allocated is in its profile after a garbage collection only, so there is one at
// either end.
func (f *loadFlags) fetchAllocations(ctx context.Context, d time.Duration) (*profile.Profile, error) {
	before, err := f.fetchFrom(ctx, "heap?gc=1", 0)
	if err != nil {
		return nil, err
	}
	if err := measure.Pause(ctx, d); err != nil {
		return nil, err
	}
	after, err := f.fetchFrom(ctx, "heap?gc=1", 0)
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
	within, err := profile.Sum(ctx, after, before.ScaleAll(-1))
	if err == nil {
		within.TimeNanos, within.DurationNanos = before.TimeNanos, int64(d)
	}
	return within, err
}

// memoryLine is a line of what net/http/pprof writes below a heap profile in text.
var memoryLine = lazyregexp.New(`(?m)^# (TotalAlloc|Mallocs|NumGC) = (\d+)$`)

// memory reads what the service has allocated.
func (f *loadFlags) memory(ctx context.Context) (measure.Memory, error) {
	var m measure.Memory
	fetcher := &capture.Fetcher{MaxBytes: profile.DefaultLimits().Bytes, TLSCA: f.tls.CA}
	source, err := fetcher.Open(ctx, f.pprof+"/allocs?debug=1")
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

// usualCollection is a time in which an agent with the usual period, a minute, has
// begun and ended a profile of each kind.
const usualCollection = 130 * time.Second

// servedProfiles are those that hone serve collects of a service.
type servedProfiles struct {
	client   *serverClient
	selector string // without a kind
}

// fetch returns the sum of the profiles of a kind that begin and end within a time, as
// if one process had taken them one after the other.
func (c *servedProfiles) fetch(ctx context.Context, kind string, seconds int) (*profile.Profile, error) {
	from := time.Now()
	to := from.Add(time.Duration(seconds) * time.Second)
	if err := measure.Pause(ctx, time.Until(to)); err != nil {
		return nil, err
	}
	found, err := c.arrived(ctx, kind, from, to)
	if err != nil {
		return nil, err
	}
	var all []*profile.Profile
	var length int64
	instances := make(map[string]bool)
	for i, id := range found.ID {
		p, err := c.client.profile(ctx, url.Values{"id": {id}}, profile.DefaultLimits())
		if err != nil {
			return nil, err
		}
		all = append(all, p)
		length += found.Duration[i]
		instances[found.Labels[found.Series[i]].Labels["instance"]] = true
	}
	sum, err := profile.Sum(ctx, all...)
	if err == nil {
		// Instances share the requests, at the same time.
		sum.TimeNanos, sum.DurationNanos = from.UnixNano(), length/int64(len(instances))
	}
	return sum, err
}

const (
	arrival = time.Minute     // how long profiles may take from their end to the server
	quiet   = 5 * time.Second // if none came for so long, all are taken to be there
)

// arrived waits for profiles that begin and end within a time.
func (c *servedProfiles) arrived(ctx context.Context, kind string, from, to time.Time) (*api.Records, error) {
	query := url.Values{"q": {kind + c.selector}, "from": {strconv.FormatInt(from.UnixMilli(), 10)}, "to": {strconv.FormatInt(to.UnixMilli(), 10)}}
	var found *api.Records
	for last := time.Now(); time.Since(to) < arrival; {
		all := new(api.Records)
		if err := c.client.json(ctx, "/api/v1/records", query, all); err != nil {
			return nil, err
		}
		within := endedBy(all, to)
		if found == nil || len(within.ID) != len(found.ID) {
			found, last = within, time.Now()
		}
		if len(found.ID) > 0 && time.Since(last) > quiet {
			return found, nil
		}
		if err := measure.Pause(ctx, quiet/10); err != nil {
			return nil, err
		}
	}
	if found == nil || len(found.ID) == 0 {
		return nil, fmt.Errorf("%s has no profile %s%s that began and ended within the load: -profiletime has to be two periods of its agent", c.client.base, kind, c.selector)
	}
	return found, nil
}

// endedBy returns those of all records that had ended by a time.
func endedBy(all *api.Records, to time.Time) *api.Records {
	found := &api.Records{Labels: all.Labels}
	for i, id := range all.ID {
		if all.Time[i]+all.Duration[i]/1e6 <= to.UnixMilli() {
			found.ID, found.Duration, found.Series = append(found.ID, id), append(found.Duration, all.Duration[i]), append(found.Series, all.Series[i])
		}
	}
	return found
}
