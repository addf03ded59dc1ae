package pgo

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/profile"
)

// A Server is a hone serve that has profiles of services.
type Server struct {
	Name string // for errors
	// Series asks /api/v1/series.
	Series func(ctx context.Context, query url.Values) (*api.OverTime, error)
	// Profile returns the merged profile of a selection.
	Profile func(ctx context.Context, selection url.Values) (*profile.Profile, error)
}

// Inputs returns the CPU profiles of services in the time before now, one for each version.
// services are names, separated by commas, or a selector such as {zone="a"}. last is the
// time to look back, as the user wrote it.
func (s *Server) Inputs(ctx context.Context, services, last string, now time.Time) ([]Input, error) {
	back, err := api.ParseDuration(last)
	if err != nil || back <= 0 {
		return nil, &LastError{last}
	}
	var inputs []Input
	for _, selector := range selectors(services) {
		over, err := s.Series(ctx, versionsQuery(selector, back, now))
		if err != nil {
			return nil, err
		}
		if len(over.Series) == 0 {
			return nil, fmt.Errorf("%s has no CPU profiles of %s in the last %s: try a longer -last; hone query -labels '{}' lists what the server has", s.Name, selector, last)
		}
		for _, group := range over.Series {
			selection, err := url.ParseQuery(strings.TrimPrefix(group.Profile, "sel:"))
			if err != nil {
				return nil, err
			}
			p, err := s.Profile(ctx, selection)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, Input{Profile: p, Source: group.Labels["service"], Version: group.Labels["version"]})
		}
	}
	return inputs, nil
}

// A LastError is a time to look back that is none.
type LastError struct{ Last string }

func (e *LastError) Error() string {
	return fmt.Sprintf("invalid -last %q: use a duration such as 12h or 7d", e.Last)
}

// selectors returns the selectors that -service means.
func selectors(services string) []string {
	if strings.HasPrefix(services, "{") {
		return []string{services}
	}
	var all []string
	for name := range strings.SplitSeq(services, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, "{service="+strconv.Quote(name)+"}")
		}
	}
	return all
}

// versionsQuery asks for the versions of all services that a selector selects.
func versionsQuery(selector string, back time.Duration, now time.Time) url.Values {
	end := now.Truncate(time.Second).Add(time.Second)
	return url.Values{
		"q": {"cpu" + selector}, "by": {"service,version"}, "points": {"1"}, "limit": {"1000"},
		"from": {strconv.FormatInt(end.Add(-back).UnixMilli(), 10)}, "to": {strconv.FormatInt(end.UnixMilli(), 10)},
	}
}
