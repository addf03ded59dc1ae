package regresstest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// bucket is the time for which everything stays as it is.
	bucket = 5 * minute
)

// start is a Monday.
const start = 20_000/7*7*day + 4*day

// Noise has the standard deviations of what changes without a cause, as logarithms.
type Noise struct {
	Instance float64 // an instance's cost of a function, for good
	Hour     float64 // the same, from hour to hour
	Endpoint float64 // an instance's mix of requests, from hour to hour
	Mix      float64 // the fleet's mix of requests, from hour to hour
	Build    float64 // a build's cost of a function, by its layout
	Load     float64 // the fleet's load, from day to day
}

// Times returns the noise multiplied by a factor.
func (n Noise) Times(x float64) Noise {
	return Noise{n.Instance * x, n.Hour * x, n.Endpoint * x, n.Mix * x, n.Build * x, n.Load * x}
}

// UsualNoise is what the figures are made with.
var UsualNoise = Noise{Instance: 0.08, Hour: 0.007, Endpoint: 0.007, Mix: 0.003, Build: 0.003, Load: 0.05}

// Config configures a fleet.
type Config struct {
	Seed      uint64
	Service   string
	Kind      string // of profiles; "" is cpu
	Instances int
	Days      int
	Cores     float64 // that an instance uses, on average
	Noise     Noise
	Deploys   float64 // per day, without effect
	Requests  bool    // they are counted
	Quiet     bool    // no restarts, scale-outs or bad machine
	// Changes are deployed at the time of each, in addition.
	Changes []TimedChange
	// Share is the own share that the changed function has; 0 leaves it.
	Share float64
	// Last is set if there are no deploys after the changes.
	Last bool
}

// A TimedChange is a change and when it is deployed, in ns since the start.
type TimedChange struct {
	At int64
	Change
}

// Start returns the time at which a fleet starts.
func Start() int64 { return start }

// A deploy is the start of a version.
type deploy struct {
	at      int64
	version string
	changes []Change // of this version and the ones before
	layout  []float64
}

// An absence is a time in which an instance doesn't exist.
type absence struct {
	instance string
	from, to int64
}

// Fleet is the instances of a service over time.
type Fleet struct {
	cfg       Config
	kind      *kind
	program   *program
	instances []string
	deploys   []deploy
	absent    []absence
	bad       string // instance
	badTime   [2]int64
	badNodes  []float64

	phase, swing [endpoints]float64
	mix          [endpoints][]float64 // by hour
	load         []float64            // by day
	lasting      map[string][]float64 // by instance, then node

	views map[string]*view // by version
	hours map[hourKey][]float64
	// What was computed before, by an instance and an hour, or a bucket's start.
	noises  map[hourKey][]float64
	buckets map[hourKey][]uint32
	loads   map[int64][2]float64 // by bucket: CPUs used, and instances
}

type hourKey struct {
	instance string
	hour     int64
}

// NewFleet returns a fleet.
func NewFleet(cfg Config) *Fleet {
	rng := rand.New(rand.NewPCG(cfg.Seed, hash(cfg.Service)))
	f := &Fleet{cfg: cfg, kind: kindOf(cfg.Kind), program: newProgram(rng), lasting: map[string][]float64{}, views: map[string]*view{}, hours: map[hourKey][]float64{},
		noises: map[hourKey][]float64{}, buckets: map[hourKey][]uint32{}, loads: map[int64][2]float64{}}
	f.program.measure(f.kind, rng)
	for i, c := range cfg.Changes {
		if c.Function == "" {
			f.cfg.Changes = slices.Clone(cfg.Changes)
			f.cfg.Changes[i].Function = f.choose(rng, cfg.Share)
		}
	}
	for e := range endpoints {
		f.phase[e], f.swing[e] = rng.Float64(), 0.3*rng.Float64()
		last := 0.0
		for range cfg.Days*24 + 1 {
			last = 0.7*last + math.Sqrt(1-0.49)*rng.NormFloat64()
			f.mix[e] = append(f.mix[e], last*cfg.Noise.Mix)
		}
	}
	for range cfg.Days + 1 {
		f.load = append(f.load, cfg.Noise.Load*rng.NormFloat64())
	}
	f.deploy(rng)
	f.populate(rng)
	return f
}

// choose returns a function of about the share, and gives it that.
func (f *Fleet) choose(rng *rand.Rand, share float64) string {
	var among []int
	for i, own := range f.program.own() {
		if own > share/2 && own < share*2 && i != 0 {
			among = append(among, i)
		}
	}
	if len(among) == 0 { // costs of few functions: the most similar one
		own := f.program.own()
		best := 1
		for i := range own {
			if i != 0 && math.Abs(own[i]-share) < math.Abs(own[best]-share) {
				best = i
			}
		}
		among = []int{best}
	}
	chosen := among[rng.IntN(len(among))]
	f.program.setShare(chosen, share)
	return f.program.names[chosen]
}

// Changed returns the function that the first change is about.
func (f *Fleet) Changed() string { return f.cfg.Changes[0].Function }

// deploy plans the versions.
func (f *Fleet) deploy(rng *rand.Rand) {
	f.deploys = []deploy{{at: start, version: "v0"}}
	at := func(t int64) int64 { return t - t%bucket }
	for d := range f.cfg.Days {
		for range poisson(rng, f.cfg.Deploys) {
			f.deploys = append(f.deploys, deploy{at: at(start + int64(d)*day + int64((8+10*rng.Float64())*float64(hour)))})
		}
	}
	for _, c := range f.cfg.Changes {
		// No other deploy hides it.
		f.deploys = slices.DeleteFunc(f.deploys, func(d deploy) bool {
			return d.version == "" && d.at > start+c.At-3*hour && (f.cfg.Last || d.at < start+c.At+3*hour)
		})
		f.deploys = append(f.deploys, deploy{at: at(start + c.At), changes: []Change{c.Change}})
	}
	slices.SortFunc(f.deploys, func(a, b deploy) int { return int((a.at - b.at) / second) })
	var changes []Change
	for i := range f.deploys {
		d := &f.deploys[i]
		changes = append(slices.Clone(changes), d.changes...)
		d.changes, d.version = changes, fmt.Sprintf("v%d", i)
		for range f.program.names {
			d.layout = append(d.layout, math.Exp(f.cfg.Noise.Build*rng.NormFloat64()))
		}
	}
}

// populate plans the instances.
func (f *Fleet) populate(rng *rand.Rand) {
	for i := range f.cfg.Instances {
		f.instances = append(f.instances, fmt.Sprintf("i%d", i))
	}
	regular := slices.Clone(f.instances)
	if f.cfg.Quiet {
		return
	}
	for d := range int64(f.cfg.Days) {
		if rng.Float64() < 0.3 { // a restart
			from := start + d*day + rng.Int64N(288)*bucket
			f.absent = append(f.absent, absence{regular[rng.IntN(len(regular))], from, from + (1+rng.Int64N(3))*bucket})
		}
		if rng.Float64() < 0.15 { // a scale-out for some hours
			from := start + d*day + rng.Int64N(200)*bucket
			for i := range 4 {
				name := fmt.Sprintf("s%d-%d", d, i)
				f.instances = append(f.instances, name)
				f.absent = append(f.absent, absence{name, 0, from}, absence{name, from + (3+rng.Int64N(6))*hour, math.MaxInt64})
			}
		}
	}
	f.bad = regular[rng.IntN(len(regular))]
	f.badTime[0] = start + rng.Int64N(max(1, int64(f.cfg.Days-3)))*day + rng.Int64N(288)*bucket
	f.badTime[1] = f.badTime[0] + 2*day
	for range f.program.nodes {
		factor := 1.0
		if rng.Float64() < 0.3 {
			factor = 1.3 + 0.7*rng.Float64()
		}
		f.badNodes = append(f.badNodes, factor)
	}
}

// age returns the hours that an instance has run its version.
func (f *Fleet) age(instance string, t int64, d *deploy) float64 {
	since := d.at
	for _, a := range f.absent {
		if a.instance == instance && a.to <= t {
			since = max(since, a.to)
		}
	}
	return float64(t-since) / float64(hour)
}

// running returns the version that an instance runs; "" while it doesn't exist.
func (f *Fleet) running(instance string, t int64) *deploy {
	for _, a := range f.absent {
		if a.instance == instance && t >= a.from && t < a.to {
			return nil
		}
	}
	// Half of the instances get a new version one bucket later.
	late := int64(hash(instance)%2) * bucket
	for i := len(f.deploys) - 1; i > 0; i-- {
		if t >= f.deploys[i].at+late {
			return &f.deploys[i]
		}
	}
	return &f.deploys[0]
}

// poisson returns a Poisson number. For larger means, its square root is about normal
// (F. J. Anscombe, "The transformation of Poisson, binomial and negative-binomial data",
// 1948).
func poisson(rng *rand.Rand, mean float64) int {
	if mean > 10 {
		root := math.Sqrt(mean+0.125) + rng.NormFloat64()/2
		return max(0, int(math.Round(root*root-0.375)))
	}
	limit, p, n := math.Exp(-mean), 1.0, 0
	for {
		if p *= rng.Float64(); p <= limit {
			return n
		}
		n++
	}
}
