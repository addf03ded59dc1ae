package api

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/store"
)

// Regressions are functions that cost more than before, the latest first.
type Regressions struct {
	Regressions []Regression `json:"regressions"`
}

// Regression is a function that costs more than before. Times are ms since 1970.
type Regression struct {
	ID    string `json:"id"`
	State string `json:"state"` // open, acknowledged or resolved
	// Who acknowledged it, why, and when: "" and 0 if nobody did.
	By           string `json:"by"`
	Reason       string `json:"reason"`
	Acknowledged int64  `json:"acknowledged"`
	Service      string `json:"service"`
	Kind         string `json:"kind"`
	Version      string `json:"version"` // the version that began at Since; "" for a drift without one
	Since        int64  `json:"since"`
	Found        int64  `json:"found"`
	Resolved     int64  `json:"resolved"` // 0 if it isn't resolved
	Function     string `json:"function"`
	Callees      bool   `json:"callees"` // the cost includes what the function calls
	Type         string `json:"type"`
	Unit         string `json:"unit"`
	// Before and After are per second of an instance, or per request. Before is corrected by what happens
	// without a cause.
	Before     float64 `json:"before"`
	After      float64 `json:"after"`
	PerRequest bool    `json:"per_request"`
	Measured   float64 `json:"measured,omitempty"` // per request, before, without corrections
	Growth     float64 `json:"growth"`             // relative: 0.05 is 5 %; 0 if there was no cost before
	Low        float64 `json:"low"`                // low end of its 95 % confidence interval
	High       float64 `json:"high"`
	Share      float64 `json:"share"` // growth as a share of the service's cost
	Affected   int     `json:"affected"`
	Instances  int     `json:"instances"`
	Causes     []Cause `json:"causes"` // functions that grew, likely causes first
	// New are functions below Function that had no cost before.
	New []string `json:"new"`
	// Base and Head are the selections that were compared.
	Base string `json:"base"`
	Head string `json:"head"`
}

// Cause is a function whose cost grew.
type Cause struct {
	Function string  `json:"function"`
	Callees  bool    `json:"callees"`
	Caller   bool    `json:"caller"` // the regression's function doesn't call it: it grew as what it calls did
	Growth   float64 `json:"growth"`
	Share    float64 `json:"share"`
}

// RegressionSummary says what is watched for regressions, and how many there are.
type RegressionSummary struct {
	Looked   int64               `json:"looked"` // when the server last looked; 0 if it hasn't since it started
	Every    time.Duration       `json:"every"`  // how often it looks
	Services []RegressionService `json:"services"`
}

// RegressionService is a service of a RegressionSummary.
type RegressionService struct {
	Name         string   `json:"name"`
	Kinds        []string `json:"kinds"`    // that were compared, sorted
	Compared     int64    `json:"compared"` // end of the latest time compared; 0 if none was
	Open         int      `json:"open"`
	Acknowledged int      `json:"acknowledged"`
	Resolved     int      `json:"resolved"`
}

// NewRegressionSummary returns the summary of what was compared and found, with services
// by name, without when and how often the server looks.
func NewRegressionSummary(watched []regress.Watched, found []regress.Entry) RegressionSummary {
	byName := map[string]*RegressionService{}
	of := func(name string) *RegressionService {
		if byName[name] == nil {
			byName[name] = &RegressionService{Name: name, Kinds: []string{}}
		}
		return byName[name]
	}
	for _, w := range watched {
		s := of(w.Service)
		s.Kinds = append(s.Kinds, w.Kind)
		s.Compared = max(s.Compared, Milliseconds(w.Until))
	}
	for i := range found {
		switch s := of(found[i].Service); found[i].State {
		case regress.Open:
			s.Open++
		case regress.Acknowledged:
			s.Acknowledged++
		default:
			s.Resolved++
		}
	}
	out := RegressionSummary{Services: []RegressionService{}}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		slices.Sort(byName[name].Kinds)
		out.Services = append(out.Services, *byName[name])
	}
	return out
}

// NewRegressions returns regressions as the API has them.
func NewRegressions(entries []regress.Entry) Regressions {
	out := Regressions{Regressions: []Regression{}}
	for i := range entries {
		out.Regressions = append(out.Regressions, NewRegression(&entries[i]))
	}
	return out
}

// NewRegression returns a regression as the API has it.
func NewRegression(e *regress.Entry) Regression {
	r := Regression{
		ID: e.ID, State: e.State, By: e.By, Reason: e.Reason, Acknowledged: Milliseconds(e.At), Service: e.Service, Kind: e.Kind, Version: e.Version,
		Since: Milliseconds(e.Since), Found: Milliseconds(e.Found), Resolved: Milliseconds(e.Resolved),
		Function: e.Function, Callees: e.Callees, Type: e.Type, Unit: e.Unit, Before: e.Before, After: e.After, PerRequest: e.PerRequest, Measured: e.Measured,
		Growth: e.Growth, Low: e.Low, High: e.High, Share: e.Share, Affected: e.Affected, Instances: e.Instances,
		Causes: []Cause{}, New: append([]string{}, e.New...),
	}
	for _, c := range e.Causes {
		r.Causes = append(r.Causes, Cause(c))
	}
	r.Base = compared(e, e.From, e.Middle, store.NotEqual)
	r.Head = compared(e, e.Since, e.To, store.Equal)
	return r
}

// Cost returns a cost with its unit: CPUs, or what a second or a request costs.
func (r *Regression) Cost(v float64) string {
	per := "/s"
	switch {
	case r.PerRequest:
		per = "/request"
	case r.Kind == "heap" || r.Kind == "goroutine":
		per = ""
	case r.Kind == "cpu" && r.Unit == "nanoseconds":
		return fmt.Sprintf("%.3g CPUs", v/float64(time.Second))
	}
	switch r.Unit {
	case "nanoseconds":
		return benchunit.Scale(v/float64(time.Second), benchunit.Decimal) + "s" + per
	case "bytes":
		return benchunit.Scale(v, benchunit.Binary) + "B" + per
	}
	return benchunit.Scale(v, benchunit.Decimal) + per
}

// compared returns the id of the selection that is one side of a comparison: the profiles
// that have the version, or those that don't.
func compared(e *regress.Entry, from, to int64, version store.Op) string {
	whole := int64(time.Millisecond)
	sel := Selection{From: from / whole * whole, To: to / whole * whole, SampleType: e.Type, Per: PerSecond}
	for _, m := range []store.Matcher{{Name: store.LabelKind, Value: e.Kind}, {Name: store.LabelService, Value: e.Service}, {Name: store.LabelVersion, Op: version, Value: e.Version}} {
		if m.Value != "" {
			sel.Selector = append(sel.Selector, m)
		}
	}
	if e.Kind == "heap" || e.Kind == "goroutine" {
		sel.Per = PerProfile
	} else if e.PerRequest {
		sel.Per = PerRequest
	}
	return sel.String()
}
