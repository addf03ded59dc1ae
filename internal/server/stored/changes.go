package stored

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Limits of a comparison: each side is a few merges over at most a day.
const (
	// settled is the step of the times that are compared. Within a step, answers come
	// from the cache.
	settled       = 10 * time.Minute
	versionDay    = 24 * time.Hour
	latestHours   = 3 * time.Hour
	shownTop      = 5
	shownChanges  = 5
	leastShare    = 0.5  // percent of a profile: smaller changes aren't worth a look
	leastRelative = 0.05 // of a total
)

// changes answers what changed most in a service since its previous version, and since
// yesterday.
func (s *Service) changes(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, []string{"service", "to"})
	if err != nil {
		return err
	}
	name := p.Get("service")
	if name == "" {
		return server.BadParam("service", "service is missing: give the name of a service")
	}
	at, err := p.end()
	if err != nil {
		return err
	}
	c, err := s.serviceAt(r.Context(), name, store.Window(at, int64(settled)))
	if err == nil && c == nil {
		c, err = s.serviceAt(r.Context(), name, at) // it began within the last step
	}
	if err == nil && c == nil {
		err = server.NotFound("no profiles of service %q", name)
	}
	if err != nil {
		return err
	}
	out := &api.ServiceChanges{Service: name, Kind: c.kind, To: api.Milliseconds(c.at), Top: []api.FunctionShare{}}
	latest := c.between("", c.at-int64(latestHours), c.at)
	part, err := c.partOf(r.Context(), s, latest)
	if err != nil {
		return err
	}
	out.Top = c.top(part)
	if base, head := c.versions(); base != nil {
		if out.Version, err = c.compare(r.Context(), s, base, head); err != nil {
			return err
		}
	}
	if out.Yesterday, err = c.compare(r.Context(), s, earlier(latest, versionDay), latest); err != nil {
		return err
	}
	if out.Yesterday != nil {
		if out.Yesterday.Totals, err = c.totals(r.Context(), s, earlier(latest, versionDay), latest); err != nil {
			return err
		}
	}
	return server.WriteJSON(w, r, out)
}

// A serviceAt is a service, and the end of the times that are compared.
type serviceAt struct {
	historyQuery // how functions are told apart: yours, with what they call
	name         string
	kind         string
	unit         string // of its values
	per          string
	at           int64
	release      release
}

// serviceAt returns a service by its profiles before at, nil if it has none. If it ended
// earlier, the compared times end there, too.
func (s *Service) serviceAt(ctx context.Context, name string, at int64) (*serviceAt, error) {
	q := store.Query{
		Selector: store.Selector{{Name: store.LabelService, Op: store.Equal, Value: name}}, To: at, Step: wholeStep,
		By: []string{store.LabelService, store.LabelKind, store.LabelVersion},
	}
	groups, err := working(ctx, s, func(ctx context.Context) ([]store.Series, error) { return s.selections.store.Series(ctx, q) })
	if err != nil {
		return nil, err
	}
	if len(groups) == 0 {
		return nil, nil
	}
	of := servicesOf(groups)[0]
	kind := of.Kinds[0]
	if i := slices.IndexFunc(of.Kinds, func(k api.ServiceKind) bool { return k.Kind == kindCPU }); i >= 0 {
		kind = of.Kinds[i]
	}
	last := kind.Last*int64(time.Millisecond) + int64(settled) - 1
	c := &serviceAt{
		historyQuery: historyQuery{options: shell.DefaultConfig()}, name: name, kind: kind.Kind, unit: kind.Unit, per: api.PerSecond,
		at: min(at, store.Window(last, int64(settled))), release: releaseOf(&of, s.cfg.Markers.began(auth.From(ctx)), nil),
	}
	if kind.Duration == 0 || profile.OfMoment(kind.Type) {
		c.per = api.PerProfile
	}
	c.options.Trim = false // every function, however small
	c.options.Mine = report.MineModule
	return c, nil
}

// between returns the selection of a version, or of all with "", in a time range.
func (c *serviceAt) between(version string, from, to int64) *api.Selection {
	ls, err := store.NewLabels(
		store.Label{Name: store.LabelKind, Value: c.kind}, store.Label{Name: store.LabelService, Value: c.name}, store.Label{Name: store.LabelVersion, Value: version})
	if err != nil {
		return &api.Selection{Selector: kindIs(c.kind), From: from, To: to} // not reached: they are labels of the store
	}
	return &api.Selection{Selector: store.SelectorOf(ls, store.LabelKind, store.LabelService, store.LabelVersion), From: from, To: to}
}

// earlier returns a selection moved to an earlier time.
func earlier(sel *api.Selection, by time.Duration) *api.Selection {
	out := *sel
	out.From, out.To = sel.From-int64(by), sel.To-int64(by)
	return &out
}

// versions returns what to compare to see the change between two versions: the last day of
// the running version, and the same hours of the previous version on the last day before
// the running one began. Both are nil if there is nothing to compare.
func (c *serviceAt) versions() (base, head *api.Selection) {
	since := store.Window(c.release.since+int64(settled)-1, int64(settled))
	if c.release.previous == "" || c.release.since == 0 || since >= c.at {
		return nil, nil
	}
	head = c.between(c.release.version, max(since, c.at-int64(versionDay)), c.at)
	days := (head.To - c.release.since + int64(versionDay) - 1) / int64(versionDay)
	base = c.between(c.release.previous, head.From-days*int64(versionDay), head.To-days*int64(versionDay))
	return base, head
}

// partOf returns the functions of a selection.
func (c *serviceAt) partOf(ctx context.Context, s *Service, sel *api.Selection) (part, error) {
	total, err := working(ctx, s, func(ctx context.Context) (store.Total, error) { return s.selections.totalOf(ctx, sel) })
	if err != nil || total.Profiles == 0 {
		return part{sel: sel, functionTable: &functionTable{}}, err
	}
	t, err := c.historyQuery.functionTable(ctx, s, sel, total.Version)
	return part{time: sel.From, sel: sel, functionTable: t}, err
}

// top returns the functions with the largest shares.
func (c *serviceAt) top(of part) []api.FunctionShare {
	all := make([]api.FunctionShare, 0, len(of.functions))
	for name := range of.functions {
		if share := rounded(c.share(of.functionTable, name)); share > 0 {
			all = append(all, api.FunctionShare{Name: name, Share: share})
		}
	}
	slices.SortFunc(all, func(a, b api.FunctionShare) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(shownTop, len(all))]
}

// compare returns which functions cost more or less per request, as regressions compare
// them. Where requests weren't counted, it returns which functions' shares changed. It is nil
// if one side has no profiles.
func (c *serviceAt) compare(ctx context.Context, s *Service, base, head *api.Selection) (*api.ServiceComparison, error) {
	var steps []part
	for _, sel := range []*api.Selection{base, head} {
		side, err := c.partOf(ctx, s, sel)
		if err != nil || side.total == 0 {
			return nil, err
		}
		steps = append(steps, side)
	}
	per, err := c.countRequests(ctx, s, steps)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if steps[i].instances, err = c.historyQuery.functionsOf(ctx, s, &steps[i]); err != nil {
			return nil, err
		}
	}
	out := &api.ServiceComparison{
		Profile: id(head, per), Base: id(base, per), Instances: min(steps[0].instances.shares.Count, steps[1].instances.shares.Count),
		Functions: []api.FunctionChange{}, Totals: []api.TotalChange{},
	}
	changed := c.sharesChanged(steps)
	if per == api.PerRequest {
		out.PerRequest, out.Unit = true, c.unit
		changed = c.costsChanged(steps[0], steps[1])
		out.Totals = c.totalChanged(steps[0], steps[1])
	}
	for name := range union(steps[0].functions, steps[1].functions) {
		if by := changed(name); by.Cost != 0 || by.Sure != 0 {
			by.Name, by.Before, by.After, by.Sure = name, rounded(by.Before), rounded(by.After), rounded(by.Sure)
			out.Functions = append(out.Functions, by)
		}
	}
	slices.SortFunc(out.Functions, func(a, b api.FunctionChange) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Sure), math.Abs(a.Sure)), cmp.Compare(a.Name, b.Name))
	})
	out.Functions = out.Functions[:min(shownChanges, len(out.Functions))]
	return out, nil
}

// countRequests adds the requests of the processes to the sides of a comparison. It returns
// what the values are compared per: a request, if they were counted on both sides.
func (c *serviceAt) countRequests(ctx context.Context, s *Service, sides []part) (per string, err error) {
	if c.per != api.PerSecond {
		return c.per, nil // values of a moment
	}
	var counted []store.Total
	for _, side := range sides {
		all, err := working(ctx, s, func(ctx context.Context) (profiledRequests, error) {
			return s.selections.profiledRequests(ctx, side.sel, nil)
		})
		if err != nil {
			return "", err
		}
		if counted = append(counted, all.of(nil)); side.RequestsDuring(all.of(nil)) == 0 {
			return c.per, nil
		}
	}
	for i := range sides {
		sides[i].requests = counted[i]
	}
	return api.PerRequest, nil
}

// sharesChanged returns how much a function's share changed; nothing if that is too little.
func (c *serviceAt) sharesChanged(steps []part) func(string) api.FunctionChange {
	chances := chancesOf(steps)
	return func(name string) (out api.FunctionChange) {
		if by := c.change(name, steps, chances); math.Abs(by.Sure) >= leastShare {
			out = api.FunctionChange{Before: by.Before, After: by.After, Sure: by.Sure, Cost: by.Cost}
		}
		return out
	}
}

// costsChanged returns how much a function's cost changed; nothing if that is too little.
func (c *serviceAt) costsChanged(before, after part) func(string) api.FunctionChange {
	whole := float64(after.total) / after.divisor()
	return func(name string) (out api.FunctionChange) {
		base, head := c.costs(name, before, after)
		if sure := report.SureChange(base, head); math.Abs(sure) >= leastShare/100*whole {
			out = api.FunctionChange{Before: base.Value, After: head.Value, Sure: sure, Cost: cmp.Compare(sure, 0)}
		}
		return out
	}
}

// totalChanged returns by how much the cost of a request changed; nothing if that is too little.
func (c *serviceAt) totalChanged(before, after part) []api.TotalChange {
	measured := func(t part) report.Measured {
		by := t.divisor()
		return report.Measured{Value: float64(t.total) / by, Event: eventOf([]part{t}) / by}
	}
	base, head := measured(before), measured(after)
	base.Spread, head.Spread = report.TotalSpread(before.instances.costs, after.instances.costs)
	sure := report.SureChange(base, head)
	if math.Abs(sure) < leastRelative*base.Value {
		return []api.TotalChange{}
	}
	return []api.TotalChange{{Kind: c.kind, PerRequest: true, Before: rounded(base.Value), After: rounded(head.Value), Sure: rounded(sure)}}
}

// id returns the id of a selection as pages compare it.
func id(sel *api.Selection, per string) string {
	shown := *sel
	shown.Per = per
	return shown.String()
}

func union(a, b map[string]functionValue) map[string]bool {
	out := make(map[string]bool, len(a)+len(b))
	for name := range a {
		out[name] = true
	}
	for name := range b {
		out[name] = true
	}
	return out
}

// totals returns by how much the use of an average instance changed. How much instances
// differ tells what is chance, so each side needs two.
func (c *serviceAt) totals(ctx context.Context, s *Service, base, head *api.Selection) ([]api.TotalChange, error) {
	out := []api.TotalChange{}
	for _, kind := range allKinds {
		var sides [2]instanceTotals
		for i, sel := range []*api.Selection{base, head} {
			q := store.Query{
				Selector: store.Selector{{Name: store.LabelKind, Op: store.Equal, Value: kind.kind}, {Name: store.LabelService, Op: store.Equal, Value: c.name}},
				From:     sel.From, To: sel.To, Step: wholeStep, SampleType: kind.sampleType, By: []string{store.LabelInstance},
			}
			series, err := working(ctx, s, func(ctx context.Context) ([]store.Series, error) { return s.selections.store.Series(ctx, q) })
			if err != nil {
				return nil, err
			}
			sides[i] = instanceTotalsOf(series)
		}
		if sides[0].Count < 2 || sides[1].Count < 2 {
			continue
		}
		var chance report.Chance
		chance.NewSpreads(&sides[0].Instances, &sides[1].Instances)
		before, after := report.Measured{Value: sides[0].mean}, report.Measured{Value: sides[1].mean}
		if sure := chance.SureOf(wholeUsage, false, before, after); math.Abs(sure) >= leastRelative*before.Value {
			out = append(out, api.TotalChange{Kind: kind.kind, Before: rounded(before.Value), After: rounded(after.Value), Sure: rounded(sure)})
		}
	}
	return out, nil
}

// instanceTotals are what the instances of one side use. Each instance has one function,
// wholeUsage.
type instanceTotals struct {
	report.Instances
	mean float64
}

const wholeUsage = "usage"

// instanceTotalsOf returns the usage of instances. series has one point for each.
func instanceTotalsOf(series []store.Series) instanceTotals {
	var out instanceTotals
	sum, weights := 0.0, 0.0
	for _, one := range series {
		total := one.Points[0].Total
		v, ok := usage(one.Type, total)
		if !ok {
			continue
		}
		weight := time.Duration(total.Duration).Seconds()
		if profile.OfMoment(one.Type.Type) {
			weight = float64(total.Profiles)
		}
		out.Add(weight, func(yield func(string, float64, float64)) { yield(wholeUsage, v*weight, v*weight) })
		out.Count++
		sum, weights = sum+v*weight, weights+weight
	}
	if weights > 0 {
		out.mean = sum / weights
	}
	return out
}
