package pyroscope

import (
	"context"
	"slices"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
)

// Limits of a query. The store is asked once per selector, and names are compared with all labels.
const (
	maxSelectors = 100
	maxNames     = wire.MaxLabels
)

// anyOf returns the selectors of a query. Without any, everything is selected.
func anyOf(selectors []string) ([]string, error) {
	switch n := len(selectors); {
	case n == 0:
		return []string{"{}"}, nil
	case n > maxSelectors:
		return nil, badRequest("the query has %d selectors; the limit is %d", n, maxSelectors)
	}
	return selectors, nil
}

// checkNames returns an error for too many names of labels.
func checkNames(names []string) error {
	if len(names) > maxNames {
		return badRequest("the query has %d names of labels; the limit is %d", len(names), maxNames)
	}
	return nil
}

// labels returns the names and values of labels with Pyroscope's names, from
// profiles that match any of the selectors.
func (q *querier) labels(ctx context.Context, selectors []string, start, end int64) (map[string][]string, error) {
	from, to, err := between(start, end)
	if err != nil {
		return nil, err
	}
	if selectors, err = anyOf(selectors); err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, text := range selectors {
		selector, err := q.selector(ctx, text, from, to)
		if err != nil {
			return nil, err
		}
		all, err := q.store.Labels(ctx, store.Query{Selector: selector, From: from, To: to})
		if err != nil {
			return nil, err
		}
		for _, l := range all {
			if l.Name != store.LabelKind {
				out[theirs(l.Name)] = append(out[theirs(l.Name)], l.Values...)
				continue
			}
			for _, kind := range l.Values {
				types, err := q.typesOf(ctx, kind)
				if err != nil {
					return nil, err
				}
				out[labelName] = append(out[labelName], nameOf(kind))
				for _, t := range types {
					for name, value := range t.labels() {
						if value != "" {
							out[name] = append(out[name], value)
						}
					}
				}
			}
		}
	}
	if services := out[labelServiceName]; services != nil {
		out[labelPrivateService] = slices.Clone(services)
	}
	for name, values := range out {
		slices.Sort(values)
		out[name] = slices.Compact(values)
	}
	return out, nil
}

// expand returns the labels of a group with Pyroscope's names. If profile types are
// wanted, there is one set per type.
func (q *querier) expand(ctx context.Context, group store.Labels, wanted []string) ([]store.Labels, error) {
	var rest []store.Label
	kind := ""
	for _, l := range group {
		if l.Name == store.LabelKind {
			kind = l.Value
		} else {
			rest = append(rest, store.Label{Name: theirs(l.Name), Value: l.Value})
		}
	}
	types, err := q.typesOf(ctx, kind)
	if err != nil {
		return nil, err
	}
	if len(types) == 0 {
		types = []profileType{{name: nameOf(kind)}}
	}
	var out []store.Labels
	for _, t := range types {
		set := slices.Clone(rest)
		for name, value := range t.labels() {
			if slices.Contains(wanted, name) {
				set = append(set, store.Label{Name: name, Value: value})
			}
		}
		labels, err := store.NewLabels(set...)
		if err != nil {
			return nil, err
		}
		out = append(out, labels)
	}
	return out, nil
}

func pairs(labels store.Labels) []*pb.LabelPair {
	out := make([]*pb.LabelPair, len(labels))
	for i, l := range labels {
		out[i] = &pb.LabelPair{Name: l.Name, Value: l.Value}
	}
	return out
}

// labelValues returns the values of a label that has Pyroscope's name, from profiles
// that match any of the selectors.
func (q *querier) labelValues(ctx context.Context, name string, selectors []string, start, end int64) ([]string, error) {
	if name == "" {
		return nil, badRequest("name is missing: give the name of a label")
	}
	all, err := q.labels(ctx, selectors, start, end)
	if err != nil {
		return nil, err
	}
	values, ok := all[name]
	if !ok {
		values = all[theirs(hones(name))]
	}
	return values, nil
}
