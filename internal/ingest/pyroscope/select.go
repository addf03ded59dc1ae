package pyroscope

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// names maps Pyroscope's names of labels to hone's. Queries may use both.
var names = map[string]string{
	labelServiceName:      store.LabelService,
	labelPrivateService:   store.LabelService,
	"service_version":     store.LabelVersion,
	"service_instance_id": store.LabelInstance,
	"availability_zone":   store.LabelZone,
}

// hones returns hone's name of a label.
func hones(name string) string {
	if own, ok := names[name]; ok {
		return own
	}
	if name == labelName {
		return store.LabelKind
	}
	return name
}

// theirs returns Pyroscope's name of a label. A profile's own label that has one of
// Pyroscope's names gets a prefix. Otherwise a sender that may write some services
// could add others to the list.
func theirs(name string) string {
	switch name {
	case store.LabelService:
		return labelServiceName
	case labelServiceName, labelPrivateService:
		return ingest.Exported + name
	}
	if isTypeLabel(name) {
		return ingest.Exported + name
	}
	return name
}

// A querier answers queries from a store.
type querier struct {
	store store.Store
	scope func(context.Context) string

	mu    sync.Mutex
	known map[knownKey]knownTypes
}

func newQuerier(st store.Store, scope func(context.Context) string) *querier {
	if scope == nil {
		scope = func(context.Context) string { return "" }
	}
	return &querier{store: st, scope: scope, known: map[knownKey]knownTypes{}}
}

type knownKey struct{ scope, kind string }

type knownTypes struct {
	types []profileType
	until time.Time
}

// A selection has the conditions of a query.
type selection struct {
	profileType
	selector store.Selector // without the kind
	from, to int64          // ns since 1970
	samples  store.Selector // conditions on labels of samples
	spans    []string       // span IDs: samples must have one of them as a label
	traces   []string
	callSite []string // functions at the root of the stacks
	frames   *frameFilter
	keep     int // number of locations at the leaf that are kept, 0 for all
	// wholeLeaves merges leaves of the same function, whatever their line.
	wholeLeaves bool
	ids         []store.ID
}

// selection reads the conditions that all queries have. Times are ms since 1970.
func (q *querier) selection(ctx context.Context, typeID, selector string, start, end int64) (*selection, error) {
	t, err := parseProfileType(typeID)
	if err != nil {
		return nil, err
	}
	s := &selection{profileType: t}
	if s.from, s.to, err = between(start, end); err != nil {
		return nil, err
	}
	if s.selector, err = q.selector(ctx, selector, s.from, s.to); err != nil {
		return nil, err
	}
	return s, q.splitSamples(ctx, s)
}

const maxMillis int64 = 1 << 62 / 1_000_000

// between converts ms to ns. 0 means no bound.
func between(start, end int64) (from, to int64, err error) {
	if start < 0 || end < 0 || start > maxMillis || end > maxMillis || end != 0 && end < start {
		return 0, 0, badRequest("invalid time range: %d to %d ms since 1970", start, end)
	}
	return start * 1e6, end * 1e6, nil
}

// selector reads a selector with Pyroscope's names. Conditions on the name and the
// type of profiles become conditions on the kind.
func (q *querier) selector(ctx context.Context, text string, from, to int64) (store.Selector, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	s, err := store.ParseSelector(text)
	if err != nil {
		return nil, badRequestError{err}
	}
	var out store.Selector
	for _, m := range s {
		if !isTypeLabel(m.Name) {
			m.Name = hones(m.Name)
			out = append(out, m)
			continue
		}
		kinds, err := q.kinds(ctx, from, to)
		if err != nil {
			return nil, err
		}
		var patterns []string
		for _, kind := range kinds {
			types, err := q.typesOf(ctx, kind)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(types, func(t profileType) bool {
				return m.Matches(t.labels()[m.Name])
			}) {
				patterns = append(patterns, regexp.QuoteMeta(kind))
			}
		}
		only, err := oneOf(store.LabelKind, patterns)
		if err != nil {
			return nil, err
		}
		out = append(out, only)
	}
	return out, nil
}

// oneOf returns the condition that a label matches one of the patterns. Without
// patterns, nothing matches.
func oneOf(name string, patterns []string) (store.Matcher, error) {
	if len(patterns) == 0 {
		return store.NewMatcher(name, store.Match, `[^\x00-\x{10FFFF}]`)
	}
	return store.NewMatcher(name, store.Match, strings.Join(patterns, "|"))
}

// splitSamples turns conditions on labels that no selected profile has into
// conditions on labels of samples. Pyroscope doesn't distinguish them.
func (q *querier) splitSamples(ctx context.Context, s *selection) error {
	own := func(m store.Matcher) bool {
		switch m.Name {
		case store.LabelService, store.LabelKind, store.LabelVersion, store.LabelZone, store.LabelInstance:
			return true
		}
		return false
	}
	var rest store.Selector
	for _, m := range s.selector {
		if own(m) {
			rest = append(rest, m)
		}
	}
	if len(rest) == len(s.selector) {
		return nil
	}
	all, err := q.store.Labels(ctx, store.Query{Selector: rest, From: s.from, To: s.to})
	if err != nil {
		return err
	}
	var selector store.Selector
	for _, m := range s.selector {
		if own(m) || slices.ContainsFunc(all, func(l store.LabelValues) bool { return l.Name == m.Name }) {
			selector = append(selector, m)
		} else {
			s.samples = append(s.samples, m)
		}
	}
	s.selector = selector
	return nil
}

// filtered reports whether only part of a profile's samples are selected.
func (s *selection) filtered() bool {
	return len(s.samples)+len(s.spans)+len(s.traces)+len(s.callSite) > 0 || s.frames != nil || s.keep > 0 || s.wholeLeaves
}

// queries returns the queries whose combined results are the selection. In hone,
// memory in use and allocated memory may be two kinds of profile. If both kinds of
// a service have allocated memory, only the kind for allocated memory counts.
func (q *querier) queries(ctx context.Context, s *selection) ([]store.Query, error) {
	kinds := kindsOf(s.name)
	allocated := s.name == "memory" && strings.HasPrefix(s.sample.Type, "alloc_")
	if s.name == "memory" && !allocated {
		kinds = []string{"heap"}
	}
	base := store.Query{Selector: s.selector, From: s.from, To: s.to, SampleType: s.sample.Type}
	var out []store.Query
	for _, kind := range kinds {
		sub := base
		sub.Selector = append(slices.Clone(s.selector), store.Matcher{Name: store.LabelKind, Op: store.Equal, Value: kind})
		if allocated && kind == "heap" {
			other := append(slices.Clone(s.selector), store.Matcher{Name: store.LabelKind, Op: store.Equal, Value: "allocs"})
			all, err := q.store.Labels(ctx, store.Query{Selector: other, From: s.from, To: s.to})
			if err != nil {
				return nil, err
			}
			var services []string
			for _, l := range all {
				if l.Name == store.LabelService {
					for _, v := range l.Values {
						services = append(services, regexp.QuoteMeta(v))
					}
				}
			}
			if len(services) > 0 {
				not, err := store.NewMatcher(store.LabelService, store.NotMatch, strings.Join(services, "|"))
				if err != nil {
					return nil, err
				}
				sub.Selector = append(sub.Selector, not)
			}
		}
		if len(s.ids) == 0 {
			out = append(out, sub)
		}
		for _, id := range s.ids {
			sub.ID = id
			out = append(out, sub)
		}
	}
	return out, nil
}

// merge merges the selected profiles into one with one sample type.
func (q *querier) merge(ctx context.Context, s *selection) (*profile.Profile, error) {
	queries, err := q.queries(ctx, s)
	if err != nil {
		return nil, err
	}
	var parts []*profile.Profile
	for _, query := range queries {
		query.Budget = ingest.BudgetOf(ctx)
		groups, err := q.store.Merge(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			parts = append(parts, g.Profile)
		}
	}
	if len(parts) == 0 {
		p := profile.NewBuilder(s.sample).Profile()
		p.PeriodType = s.period
		return validProfile(p), nil
	}
	p, err := profile.Sum(ctx, parts...)
	if err != nil {
		return nil, err
	}
	return validProfile(s.filter(p)), nil
}

// spanLabels are the labels of samples that name a span, in senders of today and of before.
var spanLabels = []string{"span_id", "profile_id"}

const traceLabel = "trace_id"

// filter returns p with only the selected samples.
func (s *selection) filter(p *profile.Profile) *profile.Profile {
	if !s.filtered() {
		return p
	}
	if len(s.samples)+len(s.spans)+len(s.traces) > 0 {
		spans, traces := setOf(s.spans), setOf(s.traces) // a query may have thousands
		has := func(ls []profile.Label, values map[string]bool, keys ...string) bool {
			return len(values) == 0 || slices.ContainsFunc(ls, func(l profile.Label) bool {
				return !l.Numeric && slices.Contains(keys, p.Strings[l.Key]) && values[p.Strings[l.Str]]
			})
		}
		p, _, _ = profile.FilterLabels(p, func(ls []profile.Label) bool {
			for i := range s.samples {
				value := ""
				for _, l := range ls {
					if !l.Numeric && p.Strings[l.Key] == s.samples[i].Name {
						value = p.Strings[l.Str]
					}
				}
				if !s.samples[i].Matches(value) {
					return false
				}
			}
			return has(ls, spans, spanLabels...) && has(ls, traces, traceLabel)
		}, nil)
	}
	if len(s.callSite) > 0 {
		p = only(p, func(sample int) bool { return beginsWith(p, p.Stack(sample), s.callSite) })
	}
	if s.frames != nil {
		p = only(p, s.frames.selects(p))
	}
	if s.keep > 0 {
		q := *p
		q.Stacks = slices.Clone(p.Stacks)
		for i := range q.Stacks {
			q.Stacks[i].Len = min(q.Stacks[i].Len, uint32(s.keep)) // the leaf is first
		}
		p = profile.Compact(&q)
	}
	if s.wholeLeaves {
		p = wholeLeaves(p)
	}
	return p
}

func setOf(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}

// wholeLeaves returns p with leaves of the same function merged, whatever their line.
func wholeLeaves(p *profile.Profile) *profile.Profile {
	q := *p
	q.Stacks, q.Frames = slices.Clone(p.Stacks), nil
	q.Locations, q.Lines = slices.Clip(p.Locations), slices.Clip(p.Lines)
	leaves := map[string]uint32{} // by the location without its line
	for i := range q.Stacks {
		stack := p.Stack(i)
		q.Stacks[i].Start = uint32(len(q.Frames))
		q.Frames = append(q.Frames, stack...)
		if len(stack) == 0 {
			continue
		}
		l := p.Locations[stack[0]]
		key := []uint32{l.Mapping}
		for _, line := range p.LocationLines(stack[0]) {
			key = append(key, line.Function)
		}
		leaf, ok := leaves[fmt.Sprint(key)]
		if !ok {
			leaf = uint32(len(q.Locations))
			l.ID, l.Address, l.FirstLine = math.MaxUint64-uint64(leaf), 0, uint32(len(q.Lines))
			for _, function := range key[1:] {
				q.Lines = append(q.Lines, profile.Line{Function: function})
			}
			q.Locations = append(q.Locations, l)
			leaves[fmt.Sprint(key)] = leaf
		}
		q.Frames[q.Stacks[i].Start] = leaf
	}
	return profile.Compact(&q)
}

// only returns p with only the samples that keep accepts.
func only(p *profile.Profile, keep func(sample int) bool) *profile.Profile {
	q := *p
	q.Stacks, q.Values = nil, make([][]int64, len(p.Values))
	if p.SampleLabels != nil {
		q.SampleLabels = []uint32{}
	}
	for sample := range p.Stacks {
		if !keep(sample) {
			continue
		}
		q.Stacks = append(q.Stacks, p.Stacks[sample])
		for t := range p.Values {
			q.Values[t] = append(q.Values[t], p.Values[t][sample])
		}
		if p.SampleLabels != nil {
			q.SampleLabels = append(q.SampleLabels, p.SampleLabels[sample])
		}
	}
	return &q
}

// beginsWith reports whether a stack begins with the given functions at its root.
func beginsWith(p *profile.Profile, stack []uint32, functions []string) bool {
	for _, location := range slices.Backward(stack) {
		for _, line := range slices.Backward(p.LocationLines(location)) {
			if len(functions) == 0 {
				return true
			}
			if p.FunctionName(line.Function) != functions[0] {
				return false
			}
			functions = functions[1:]
		}
	}
	return len(functions) == 0
}

// parseIDs reads IDs of profiles in the form of UUIDs.
func parseIDs(texts []string) ([]store.ID, error) {
	const most = 1000
	if len(texts) > most {
		return nil, badRequest("%d profiles are selected by ID; the limit is %d", len(texts), most)
	}
	var out []store.ID
	for _, text := range texts {
		var id store.ID
		b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		if err != nil || len(b) != len(id) {
			return nil, badRequest("invalid profile ID %.60q", text)
		}
		copy(id[:], b)
		if id == (store.ID{}) {
			return nil, badRequest("invalid profile ID %.60q", text)
		}
		out = append(out, id)
	}
	return out, nil
}

// kinds returns the kinds of stored profiles in a time range.
func (q *querier) kinds(ctx context.Context, from, to int64) ([]string, error) {
	all, err := q.store.Labels(ctx, store.Query{From: from, To: to})
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		if l.Name == store.LabelKind {
			return l.Values, nil
		}
	}
	return nil, nil
}

const (
	typesKept   = 30 * time.Second // how long the sample types of a kind are cached
	typesLatest = 8                // number of profiles per kind whose sample types are read
)

// typesOf returns the profile types of a kind, from its latest profiles.
func (q *querier) typesOf(ctx context.Context, kind string) ([]profileType, error) {
	key := knownKey{q.scope(ctx), kind}
	q.mu.Lock()
	known, ok := q.known[key]
	q.mu.Unlock()
	if ok && time.Now().Before(known.until) {
		return known.types, nil
	}
	selector := store.Selector{{Name: store.LabelKind, Op: store.Equal, Value: kind}}
	series, err := q.store.Series(ctx, store.Query{Selector: selector, By: []string{store.LabelService}, Limit: typesLatest})
	if err != nil {
		return nil, err
	}
	var types []profileType
	for _, s := range series {
		for _, point := range s.Points {
			groups, err := q.store.Merge(ctx, store.Query{Selector: selector, ID: point.ID, From: point.Time, To: point.Time + 1, Budget: ingest.BudgetOf(ctx)})
			if errors.Is(err, profile.ErrNothingCommon) {
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, g := range groups {
				for _, sample := range g.Profile.SampleTypes {
					t := profileType{nameOf(kind), sample, g.Profile.PeriodType}
					if !slices.Contains(types, t) {
						types = append(types, t)
					}
				}
			}
		}
	}
	slices.SortFunc(types, func(a, b profileType) int { return strings.Compare(a.String(), b.String()) })
	if len(types) > 0 {
		q.mu.Lock()
		q.known[key] = knownTypes{types, time.Now().Add(typesKept)}
		q.mu.Unlock()
	}
	return types, nil
}
