// Package regress finds functions that cost more in production than before: after a new
// version, and when costs drift without one.
//
// It is a pipeline. Each stage makes the values that the next one needs:
//
//	kinds    how the costs of a kind of profile are compared
//	source   the sums that it reads: functions by instance and version
//	windows  which times are compared, and the same times on earlier days
//	sample   what the windows have
//	side     events per function and instance in a window
//	spread   how much functions vary without a cause: among instances
//	days     the same from day to day, and by the time of day
//	scatter  how much all functions together vary
//	effect   how much each function's cost changed, and the probability of that by chance
//	correct  which effects remain, given the number of functions
//	filter   drops what isn't a regression: one bad machine, cost that only moved
//	calls    what the functions call, and which cost only moved between functions
//	enter    the function through which a growth enters
//	cause    one regression for functions that call each other, at the deepest of them
//	detect   runs the stages in order
//	limits   what it may take
//	schedule when to compare
//	versions which versions began
//	storesource
//	         the source that reads a store; requests has those that agents counted
//
// What is found goes to state, which remembers it; resolve tells when it is over. watch
// runs all of it on a schedule.
// doc/design/0022-regress.md has the reasons and the figures.
package regress

import "time"

// A Regression is a function that costs more than before.
type Regression struct {
	ID       string `json:"id"`
	Service  string `json:"service"`
	Kind     string `json:"kind"`
	Type     string `json:"type"` // of the values, such as cpu
	Unit     string `json:"unit"`
	Function string `json:"function"`
	// Callees is set if the cost includes what the function calls.
	Callees bool `json:"callees"`
	// Before and After are the cost in Unit, per second of an instance or per request.
	// Before is what it would be after the change without a cause: what was measured before, corrected
	// by what the same hours did on earlier days, and by what all functions did.
	Before     float64 `json:"before"`
	After      float64 `json:"after"`
	PerRequest bool    `json:"per_request"`
	// Measured is the cost per request before the change, as a comparison shows it; 0 for other costs.
	Measured float64 `json:"measured,omitempty"`
	// Growth is the relative change: 0.05 is 5 % more. Its 95 % confidence interval is
	// from Low to High. All are 0 for a function that had no cost before.
	Growth float64 `json:"growth"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// Share is the growth as a share of the service's cost.
	Share float64 `json:"share"`
	// Version is the version that began at Since; "" for a change without one.
	Version string `json:"version"`
	Since   int64  `json:"since"` // ns since 1970
	Found   int64  `json:"found"` // ns since 1970
	// Affected of Instances instances show it.
	Affected  int `json:"affected"`
	Instances int `json:"instances"`
	// Causes are the functions that grew, likely causes first.
	Causes []Cause `json:"causes"`
	// New are functions below Function that had no cost before.
	New []string `json:"new"`
	// The profiles before the change are from From to Middle, those after it from Since to
	// To; in ns since 1970.
	From   int64 `json:"from"`
	Middle int64 `json:"middle"`
	To     int64 `json:"to"`
}

// A Cause is a function whose cost grew.
type Cause struct {
	Function string  `json:"function"`
	Callees  bool    `json:"callees"`
	Caller   bool    `json:"caller"` // the regression's function doesn't call it: it grew as what it calls did
	Growth   float64 `json:"growth"` // relative; 0 if the function is new
	Share    float64 `json:"share"`  // of the service's cost
}

// Options say what counts as a regression. The zero value has the defaults.
type Options struct {
	// MinGrowth is the least relative growth.
	MinGrowth float64
	// MinShare is the least growth, as a share of the service's cost.
	MinShare float64
	// Days is the number of earlier days whose same hours are looked at.
	Days int
	// Before is how long the time before a new version is.
	Before time.Duration
}

// The defaults are tuned with bench/regress.
func (o Options) defaults(t Trigger) Options {
	if o.MinGrowth == 0 {
		o.MinGrowth = 0.02
		if t.Version == "" {
			o.MinGrowth = 0.05 // a week has many builds, and each lays functions out differently
		}
	}
	if o.MinShare == 0 {
		o.MinShare = 0.0002
	}
	if o.Days == 0 {
		o.Days = 7
	}
	if o.Before == 0 {
		o.Before = 3 * time.Hour
	}
	return o
}
