package main

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/capture"
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
		service := measure.NewPprof(f.pprof, f.tls.CA)
		plan.Fetch, plan.Memory = service.Fetch, service.Memory
		return nil
	}
	if !f.given("profiletime") {
		plan.ProfileTime = measure.UsualCollection
	}
	client, err := f.server.client(ctx, a, "load", &capture.Fetcher{})
	selector := f.collected
	if !strings.HasPrefix(selector, "{") {
		selector = "{service=" + strconv.Quote(selector) + "}"
	}
	served := &servedProfiles{client, selector}
	plan.Fetch = func(ctx context.Context, kind string, seconds int) (*profile.Profile, error) {
		return measure.FetchCollected(ctx, served, kind, seconds)
	}
	return err
}

// servedProfiles are the profiles of a service that hone serve collects.
type servedProfiles struct {
	client   *serverClient
	selector string // without a kind
}

func (s *servedProfiles) Records(ctx context.Context, kind string, from, to time.Time) ([]measure.Record, error) {
	var all api.Records
	query := url.Values{"q": {kind + s.selector}, "from": {strconv.FormatInt(from.UnixMilli(), 10)}, "to": {strconv.FormatInt(to.UnixMilli(), 10)}}
	if err := s.client.json(ctx, "/api/v1/records", query, &all); err != nil {
		return nil, err
	}
	records := make([]measure.Record, len(all.ID))
	for i, id := range all.ID {
		d := time.Duration(all.Duration[i])
		// A record's time is in whole milliseconds, and so is its end.
		end := time.UnixMilli(all.Time[i] + d.Milliseconds())
		records[i] = measure.Record{ID: id, Instance: all.Labels[all.Series[i]].Labels["instance"], Duration: d, End: end}
	}
	return records, nil
}

func (s *servedProfiles) Profile(ctx context.Context, id string) (*profile.Profile, error) {
	return s.client.profile(ctx, url.Values{"id": {id}}, profile.DefaultLimits())
}

func (s *servedProfiles) Name(kind string) string {
	return kind + s.selector + " at " + s.client.base.String()
}
