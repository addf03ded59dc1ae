package main

import (
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
)

// The JSON of hone check. Unknown numbers are null.
type (
	checkedJSON struct {
		Config   string        `json:"config"`
		Of       string        `json:"of"`
		Base     string        `json:"base,omitempty"`
		Failed   bool          `json:"failed"`
		Outcomes []outcomeJSON `json:"outcomes"`
		// With -against: confirmed regressions that no missed objective reports, a line each.
		Regressions []string `json:"regressions"`
		// Failures of what was measured, whether an objective bounds it or not.
		Unmeasured []compare.Unmeasured `json:"unmeasured"`
		Warnings   []string             `json:"warnings"`
	}
	outcomeJSON struct {
		Objective string   `json:"objective,omitempty"` // its name
		Place     string   `json:"place"`               // file:line:column
		Package   string   `json:"package,omitempty"`
		Benchmark string   `json:"benchmark,omitempty"`
		Metric    string   `json:"metric"`
		Bound     string   `json:"bound,omitempty"`
		Status    string   `json:"status"` // "met", "missed", "uncertain", "no data"
		Fails     bool     `json:"fails"`
		Value     *float64 `json:"value"` // of the metric; for a budget the change as a fraction
		Lo        *float64 `json:"lo"`
		Hi        *float64 `json:"hi"`
		Text      string   `json:"text"`
	}
)

// checkedValues returns what -json prints; config is the file with the
// objectives.
func checkedValues(c *compare.Checked, regressions []experiment.Comparison, config string) checkedJSON {
	missed, unmeasured := c.Gate()
	out := checkedJSON{
		Config: config, Of: c.Of, Base: c.Base, Failed: missed+unmeasured+len(regressions) > 0, Regressions: []string{},
		Outcomes: []outcomeJSON{}, Unmeasured: append([]compare.Unmeasured{}, c.Unmeasured...), Warnings: append([]string{}, c.Warnings...),
	}
	for _, r := range regressions {
		out.Regressions = append(out.Regressions, regressionLine(&r))
	}
	for _, o := range c.Outcomes {
		out.Outcomes = append(out.Outcomes, outcomeJSON{
			o.Objective.Name, o.Objective.Pos.String(), o.Key.Package, o.Key.Benchmark, o.Objective.Metric, o.Bound,
			o.Status.String(), o.Status.Fails(), compare.FiniteOrNil(o.Value), compare.FiniteOrNil(o.Lo), compare.FiniteOrNil(o.Hi), o.Text,
		})
	}
	return out
}
