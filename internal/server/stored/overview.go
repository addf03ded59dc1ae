package stored

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// Limits of an overview.
const (
	usualOverview    = 200
	maxOverview      = 1000
	maxOverviewKinds = 20 // of a service
)

// overview answers what the services use. It reads only totals, never profiles.
func (s *Service) overview(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, []string{"to", "find", "limit"})
	if err != nil {
		return err
	}
	limit, err := p.number("limit", usualOverview, 1, maxOverview)
	if err != nil {
		return err
	}
	at, err := p.end()
	if err != nil {
		return err
	}
	used, err := working(r.Context(), s, func(ctx context.Context) (*usages, error) { return usagesOf(ctx, s.selections.store, at) })
	if err != nil {
		return err
	}
	began := s.cfg.Markers.began(auth.From(r.Context()))
	find := strings.ToLower(p.Get("find"))
	all := make([]api.OverviewService, 0, len(used.services))
	for i := range used.services {
		if one := &used.services[i]; strings.Contains(strings.ToLower(one.Name), find) {
			all = append(all, used.about(one, releaseOf(one, began, used.runs[one.Name])))
		}
	}
	slices.SortStableFunc(all, func(a, b api.OverviewService) int {
		return cmp.Or(cmp.Compare(now(b.CPU), now(a.CPU)), cmp.Compare(now(b.Memory), now(a.Memory)), cmp.Compare(b.Last, a.Last))
	})
	out := &api.Overview{
		From: api.Milliseconds(used.from), To: api.Milliseconds(used.to), Step: api.Milliseconds(used.step),
		Services: all[:min(limit, len(all))], Left: max(0, len(all)-limit),
	}
	return server.WriteJSON(w, r, out)
}

func now(u *api.Usage) float64 {
	if u == nil || u.Now == nil {
		return 0
	}
	return *u.Now
}

// about returns the entry of a service in an overview.
func (u *usages) about(of *api.Service, rel release) api.OverviewService {
	one := api.OverviewService{
		Name: of.Name, Last: of.Last, Profiles: of.Profiles, Kinds: of.Kinds[:min(len(of.Kinds), maxOverviewKinds)],
		Version: rel.version, Since: api.Milliseconds(rel.since), Previous: rel.previous, Versions: len(of.Versions), Running: rel.running,
		Instances: u.instances[of.Name],
	}
	one.CPU, one.Memory, one.Goroutines = u.by[kindCPU][of.Name], u.by[kindHeap][of.Name], u.by[kindGoroutine][of.Name]
	return one
}
