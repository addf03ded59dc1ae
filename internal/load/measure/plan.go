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

// A Plan is what to do.
type Plan struct {
	Protocol string // "http": the run's package is "load/http"
	Name     string // of the benchmark that the run has, without "Benchmark"
	Load     Load
	Warmup   time.Duration // before the first period
	Duration time.Duration // of a period
	Count    int           // periods, each a sample
	Options  load.Options  // Warmup and Window are set by Plan
	Goals    []load.Goal   // the run keeps whether they were met

	Profiles    []string // kinds, of Kinds
	ProfileTime time.Duration
	// Fetch takes a profile of the service that covers a time: "cpu", "allocs", ….
	// It is asked again while the error is [capture.ErrInUse].
	Fetch func(ctx context.Context, kind string, seconds int) (*profile.Profile, error)

	// Memory reads what the service has allocated so far; nil if it can't be had.
	Memory func(ctx context.Context) (Memory, error)

	// Deliveries are what became of the messages of periods, by their results; nil where
	// none are read.
	Deliveries func(periods []*load.Result) []experiment.LoadDelivery

	Run    *experiment.Writer // what is measured is written to; nil: nothing is kept
	Events func(Event)        // may be nil
}

// A Load sends for a time. It is called once for the warm-up, each period and each
// profile.
type Load func(ctx context.Context, stage Stage, d time.Duration, opts load.Options) (*load.Result, error)

// A Stage is what a load is for.
type Stage uint8

const (
	WarmUp  Stage = iota
	Period        // it is measured
	Profile       // it goes on for as long as a profile takes
)

func (s Stage) String() string { return [...]string{"warm up", "measure", "profile"}[s] }

// Kinds are the profiles that can be taken of a service under load.
func Kinds() []string { return []string{"cpu", "allocs", "mutex", "block"} }

// An Event tells how far a measurement is.
type Event struct {
	Stage       Stage
	Done, Total int // periods, or kinds
	What        string
	Left        time.Duration // of all stages
	Window      *load.Window  // of what ended just now; nil at the start of a stage
	Warning     string        // instead of all others
}

// A Report is what was measured.
type Report struct {
	*load.Result                // of all periods
	Periods      []*load.Result `json:"periods"`
	Costs        []Cost         `json:"costs,omitempty"`
	GCShare      *float64       `json:"gc_share,omitempty"` // of CPU time
	Hottest      []Hot          `json:"hottest,omitempty"`  // by CPU time of their own
	Run          string         `json:"run,omitempty"`
	Warnings     []string       `json:"warnings,omitempty"`
}

// A Cost is what a request took of something: by a profile over the same load, or
// by counters of the service over the periods themselves.
type Cost struct {
	Kind     string  `json:"kind"`     // of the profile, or "memory"
	Unit     string  `json:"unit"`     // "cpu-ns/op", "B/op"
	Value    float64 `json:"value"`    // for a request that succeeded
	Requests float64 `json:"requests"` // over the profile
}

// ErrNothing is returned when no request succeeded.
var ErrNothing = errors.New("no request succeeded")

// addProfile keeps a profile, which says of how many requests it is.
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

// pkg and name are those of the benchmark that the run has.
func (p *Plan) pkg() string  { return "load/" + p.Protocol }
func (p *Plan) name() string { return strings.ReplaceAll(p.Name, " ", "_") }

// A told is what a profile tells of requests.
type told struct {
	costs   []Cost
	gcShare *float64 // of CPU time
	hottest []Hot
}

// Memory is what a process has allocated since its start, as runtime.MemStats tells.
type Memory struct {
	Bytes, Objects uint64
	GCs            uint64
}
