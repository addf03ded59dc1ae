package wire

import (
	"slices"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
)

// MaxLabels is the largest number of labels that a profile may be sent with. Processes
// have a few tens of them; the limit bounds the work of looking at them.
const MaxLabels = 256

// NameLabel is the label of a series that names the kind of its profiles.
const NameLabel = "__name__"

// SeriesLabels returns the labels of a series, and the value of NameLabel, which must be
// one of them.
func SeriesLabels[Pair interface {
	GetName() string
	GetValue() string
}](pairs []Pair) (labels []store.Label, name string, err error) {
	if len(pairs) > MaxLabels {
		return nil, "", ingest.Errorf(ingest.TooLarge, "a series has %d labels; the limit is %d", len(pairs), MaxLabels)
	}
	for _, l := range pairs {
		if slices.ContainsFunc(labels, func(m store.Label) bool { return m.Name == l.GetName() }) {
			return nil, "", ingest.Errorf(ingest.Malformed, "label %.60q is given twice", l.GetName())
		}
		if l.GetName() == NameLabel {
			name = l.GetValue()
		}
		labels = append(labels, store.Label{Name: l.GetName(), Value: l.GetValue()})
	}
	if name == "" {
		return nil, "", ingest.Errorf(ingest.Malformed, "a series has no label __name__, which names the kind of its profiles")
	}
	return labels, name, nil
}

// A Vocabulary translates a protocol's label names into hone's.
type Vocabulary struct {
	// Service, Version, Zone and Instance are the protocol's names for what
	// hone calls so, the best first.
	Service, Version, Zone, Instance []string
	// Synonyms are names of those that mean just that and are not kept beside
	// hone's. Others, such as a pod that tells instances apart, are.
	Synonyms []string
	// Dropped reports whether a label is not kept; nil keeps all.
	Dropped func(name string) bool
}

// Translate returns labels with hone's names. A label of the protocol with the name kind
// has another meaning than hone's and becomes exported_kind.
func (v *Vocabulary) Translate(in []store.Label) []store.Label {
	var own []store.Label
	for _, meaning := range []struct {
		name  string
		names []string
	}{{store.LabelService, v.Service}, {store.LabelVersion, v.Version}, {store.LabelZone, v.Zone}, {store.LabelInstance, v.Instance}} {
		for _, name := range meaning.names {
			if value := value(in, name); value != "" {
				own = append(own, store.Label{Name: meaning.name, Value: value})
				break
			}
		}
	}
	var out []store.Label
	for _, l := range in {
		switch {
		case v.Dropped != nil && v.Dropped(l.Name), slices.Contains(v.Synonyms, l.Name):
		case l.Name == store.LabelKind:
			out = append(out, store.Label{Name: "exported_kind", Value: l.Value})
		default:
			out = append(out, l)
		}
	}
	return append(out, own...) // of several of one name the last one counts
}

// Names reports whether a label of the protocol identifies a process.
func (v *Vocabulary) Names(name string) bool {
	for _, names := range [][]string{v.Service, v.Version, v.Zone, v.Instance} {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// value returns the value of the last label of a name.
func value(labels []store.Label, name string) string {
	for _, l := range slices.Backward(labels) {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

// Has reports whether labels have one with a name and a value other than "".
func Has(labels []store.Label, name string) bool { return value(labels, name) != "" }
