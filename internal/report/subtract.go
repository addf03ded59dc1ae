package report

import "github.com/hone-go/hone/profile"

// Subtract returns p minus base. With diff the base's samples stay samples of
// their own, marked by a label, so that percentages can be of the base. With
// normalize p is scaled to the total of base first.
func Subtract(p, base *profile.Profile, diff, normalize bool) (*profile.Profile, error) {
	if diff {
		base = base.SetLabel(baseLabel, "true")
	}
	if normalize {
		var err error
		if p, err = p.Normalize(base); err != nil {
			return nil, err
		}
	}
	return profile.Sum(p, base.ScaleAll(-1))
}
