package measure

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/profile"
)

// A Plan says what to measure, and how.
type Plan struct {
	Protocol string // as in "http"; the package of the run's benchmark is "load/http"
	Name     string // name of the run's benchmark, without "Benchmark"
	Load     Load
	Warmup   time.Duration // before the first period
	Duration time.Duration // length of each period
	Count    int           // number of periods; each is a sample
	Options  load.Options  // Warmup and Window are set by Plan
	Goals    []load.Goal   // the run records whether they were met

	Profiles    []string // kinds, of Kinds
	ProfileTime time.Duration
	// Fetch takes a profile of the service, of one of the Kinds, over some seconds. It is
	// called again while the error is [capture.ErrInUse].
	Fetch func(ctx context.Context, kind string, seconds int) (*profile.Profile, error)

	// Memory reads what the service has allocated so far; nil if that is unknown.
	Memory func(ctx context.Context) (Memory, error)

	// Deliveries returns, for each period, what arrived of its messages; nil if messages
	// are not read.
	Deliveries func(periods []*load.Result) []experiment.LoadDelivery

	Run    *experiment.Writer // where the run is written; nil: it is not kept
	Events func(Event)        // may be nil
}

// A Load sends requests for a time. It is called once for the warm-up, and once for each
// period and each profile.
type Load func(ctx context.Context, stage Stage, d time.Duration, opts load.Options) (*load.Result, error)

// A Stage says what a load is for.
type Stage uint8

const (
	WarmUp  Stage = iota
	Period        // response times are measured
	Profile       // a profile is taken
)

func (s Stage) String() string { return [...]string{"warm up", "measure", "profile"}[s] }

// Kinds returns the kinds of profiles that can be taken of a service under load.
func Kinds() []string { return []string{"cpu", "allocs", "mutex", "block"} }

// An Event reports the progress of a measurement.
type Event struct {
	Stage       Stage
	Done, Total int // number of periods or of kinds of profiles
	What        string
	Left        time.Duration // time until the end of all stages
	Window      *load.Window  // what ended since the last event; nil at the start of a stage
	Warning     string        // if not "", the only field that is set
}

// A Report is the result of a measurement.
type Report struct {
	*load.Result                // of all periods
	Periods      []*load.Result `json:"periods"`
	Costs        []Cost         `json:"costs,omitempty"`
	GCShare      *float64       `json:"gc_share,omitempty"` // share of CPU time, from 0 to 1
	Hottest      []Hot          `json:"hottest,omitempty"`  // by CPU time in their own code
	OwnCode      bool           `json:"-"`                  // Hottest is what hone top -mine shows
	Run          string         `json:"run,omitempty"`
	Warnings     []string       `json:"warnings,omitempty"`
}

// A Cost is what one request costs: according to a profile over the same load, or to the
// service's memory counters over the periods.
type Cost struct {
	Kind     string  `json:"kind"`     // of the profile, or "memory"
	Unit     string  `json:"unit"`     // "cpu-ns/op", "B/op"
	Value    float64 `json:"value"`    // per request that succeeded
	Requests float64 `json:"requests"` // over the profile
}

// ErrNothing is returned when no request succeeded.
var ErrNothing = errors.New("no request succeeded")

// addProfile keeps a profile, with the number of requests that were answered during it.
func (p *Plan) addProfile(side experiment.Side, kind string, of *profile.Profile, requests float64) error {
	if p.Run == nil {
		return nil
	}
	var text bytes.Buffer
	if err := capture.WithIterations(of, int(math.Round(requests))).Encode(&text); err != nil {
		return err
	}
	return p.Run.AddProfile(p.pkg(), p.name(), side, kind, &text)
}

// pkg and name are the package and the name of the run's benchmark.
func (p *Plan) pkg() string { return "load/" + p.Protocol }

func (p *Plan) name() string { return strings.ReplaceAll(p.Name, " ", "_") }

// A told is what a profile says about requests.
type told struct {
	costs   []Cost
	gcShare *float64 // of CPU time
	hottest []Hot
	ownCode bool // hottest is of ownCode
}

// Memory is what a process has allocated since its start: TotalAlloc, Mallocs and NumGC of
// runtime.MemStats.
type Memory struct {
	Bytes, Objects uint64
	GCs            uint64
}
