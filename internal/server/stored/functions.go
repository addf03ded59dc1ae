package stored

import (
	"context"
	"fmt"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A part is a window or a version, with its functions.
type part struct {
	version   string
	time      int64 // ns since 1970: start of the window, or of the version's first profile
	sel       *api.Selection
	instances *instanceFunctions // of a part that is compared; nil if they weren't asked for
	requests  store.Total        // in the time of its profiles, of a part that is compared per request
	*functionTable
}

// A functionTable has the functions of some profiles.
type functionTable struct {
	store.Total
	first     int64 // start of the first profile, ns since 1970
	total     int64 // 100 % of shares
	samples   int64 // about how many samples there were, 0 if that isn't known
	moment    bool  // values are those of a moment
	functions map[string]functionValue
	warnings  []string
}

type functionValue struct{ flat, cum int64 }

// divisor is what values are divided by to be those of a request, or else of one instance.
func (t *part) divisor() float64 {
	if t.requests.Value > 0 {
		return divisor(api.PerRequest, t.Total, t.requests)
	}
	return instanceDivisor(t.moment, t.Total)
}

// instanceDivisor returns the seconds of profiles, or their number if they have no duration or their values are those of a moment.
func instanceDivisor(moment bool, t store.Total) float64 {
	if moment || t.Duration == 0 {
		return divisor(api.PerProfile, t, store.Total{})
	}
	return divisor(api.PerSecond, t, store.Total{})
}

// functionTable returns the functions of a selection for a version of its profiles. The
// cache uses that version as a key, so as time passes, only the last window and the
// running versions are computed again.
func (h *historyQuery) functionTable(ctx context.Context, s *Service, sel *api.Selection, version uint64) (*functionTable, error) {
	key := "functions " + sel.String() + fmt.Sprintf("@%x", version) + " ?" + reports.Unusual(&h.options).Encode()
	return server.Cached(ctx, s.srv.Cache, key, func(ctx context.Context) (*functionTable, int64, error) {
		// Caching the profile in addition to its table isn't worth it.
		q := sel.Query()
		q.Budget = server.Budget(ctx)
		groups, err := s.selections.store.Merge(ctx, q)
		if err != nil {
			return nil, 0, s.selections.storeError(err, "q")
		}
		t := &functionTable{functions: map[string]functionValue{}}
		if len(groups) == 0 {
			return t, 0, nil // they have expired meanwhile
		}
		p := groups[0].Profile
		warnings := reports.NewWarnings()
		top, err := report.New(p, "top", "", h.options.Options, warnings.Env(ctx, s.cfg.Env, p))
		if err != nil {
			return nil, 0, err
		}
		t.Total, t.first = groups[0].Total, groups[0].Time
		var cost int64
		table := top.Top()
		if err := top.Err(); err != nil {
			return nil, 0, err
		}
		t.total, t.warnings, t.moment = top.Total(), warnings.List(), profile.OfMoment(table.SampleType)
		if p.Period > 0 && p.PeriodType.Unit == table.Unit {
			t.samples = t.total / p.Period
		}
		for i := range table.Rows {
			row := &table.Rows[i]
			t.functions[row.Name] = functionValue{row.Flat.Value, row.Cum.Value}
			cost += int64(len(row.Name)) + 64
		}
		return t, cost, nil
	})
}
