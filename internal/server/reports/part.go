package reports

import (
	"context"
	"net/url"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

// labelPartPrefix begins the ids of parts of a profile: the samples that have a value of a
// label. The rest is a query with the profile's id and the label.
const labelPartPrefix = "part:"

// A labelPart is the parsed id of a part.
type labelPart struct {
	profile, label, value string
	unit                  string // that numeric values are printed in
}

func (p labelPart) String() string {
	v := url.Values{"profile": {p.profile}, "label": {p.label}, "value": {p.value}}
	if p.unit != "" {
		v.Set("unit", p.unit)
	}
	return labelPartPrefix + v.Encode()
}

func parseLabelPart(id string) (labelPart, error) {
	if len(id) > api.MaxSelected {
		return labelPart{}, server.BadParam("profile", "the id of a part is longer than %d bytes", api.MaxSelected)
	}
	v, err := url.ParseQuery(id[len(labelPartPrefix):])
	if err != nil {
		return labelPart{}, server.BadParam("profile", "the id of a part can't be read: %w", err)
	}
	p := labelPart{v.Get("profile"), v.Get("label"), v.Get("value"), v.Get("unit")}
	if p.profile == "" || p.label == "" {
		return labelPart{}, server.BadParam("profile", "the id of a part needs a profile and a label")
	}
	return p, nil
}

// labelPart opens a part of a profile.
func (o *opener) labelPart(ctx context.Context, id string, now time.Time) (Opened, error) {
	of, err := parseLabelPart(id)
	if err != nil {
		return Opened{}, err
	}
	whole, err := o.id(ctx, of.profile, now)
	if err != nil {
		return Opened{}, err
	}
	of.profile = whole.ID
	part := whole
	part.ID, part.Name, part.Parts = of.String(), whole.Name+" "+of.label+"="+of.value, nil
	cut := func(p *profile.Profile) *profile.Profile { return report.LabelPart(p, of.label, of.value, of.unit) }
	part.Load = func(ctx context.Context) (*profile.Profile, error) {
		return server.Cached(ctx, o.cache, "part "+part.key(), func(ctx context.Context) (*profile.Profile, int64, error) {
			p, err := whole.Load(ctx)
			if err != nil {
				return nil, 0, err
			}
			p = cut(p)
			return p, ProfileBytes(p), nil
		})
	}
	if whole.Instances != nil {
		part.Instances = func(ctx context.Context, visit func(string, *profile.Profile, float64) error) (int, error) {
			return whole.Instances(ctx, func(name string, p *profile.Profile, weight float64) error {
				return visit(name, cut(p), weight)
			})
		}
	}
	return part, nil
}
