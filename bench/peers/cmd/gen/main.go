// Command gen derives a deterministic stream of production-like Go profiles
// from real captured ones.
//
// CPU: the captured stacks (plus recombinations that share a call site) are a
// weighted population; each scrape draws as many 10 ms hits from it as a
// process of that size would take in one step, so consecutive scrapes differ
// as real ones do. Heap, mutex, block: per instance counters that only grow,
// plus in-use values that wander. Goroutine: counts that wander. In the
// sixth tenth of the range one function of each service runs hot, so that a
// diff has something to show.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"log"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/google/pprof/profile"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
)

type service struct {
	name     string
	cores    float64 // mean CPUs busy per instance
	heapCap  int     // stacks in a heap profile once warmed up
	otherCap int     // stacks of mutex and block
}

var services = []service{
	{"api", 0.9, 2200, 160},
	{"typecheck", 1.2, 4500, 200},
	{"textproc", 0.6, 1200, 160},
	{"codec", 1.0, 1500, 60},
	{"store", 0.4, 1000, 60},
	{"rpc", 0.8, 1800, 160},
}

func key(s *stack) string {
	var b strings.Builder
	for _, l := range s.locs {
		fmt.Fprintf(&b, "%x,", l.ID)
	}
	keys := make([]string, 0, 2)
	for k, v := range s.labels {
		keys = append(keys, k+"="+strings.Join(v, ","))
	}
	sort.Strings(keys)
	b.WriteString(strings.Join(keys, ";"))
	for k, v := range s.nums {
		fmt.Fprintf(&b, "|%s=%v", k, v)
	}
	return b.String()
}

func load(base, svc, typ string) *profile.Profile {
	f, err := os.Open(filepath.Join(base, svc+"."+typ+".pb.gz"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range p.Mapping {
		if strings.Contains(m.File, "/") && !strings.HasPrefix(m.File, "[") {
			m.File = "/app/" + svc // not the path of the machine that captured it
		}
	}
	return p
}

func population(p *profile.Profile, rng *rand.Rand, want int) []*stack {
	seen := map[string]*stack{}
	var res []*stack
	for _, s := range p.Sample {
		if len(s.Location) == 0 {
			// A goroutine that has not run yet has no frames. Stores disagree
			// whether such a sample has a place in a flame graph.
			continue
		}
		st := &stack{locs: s.Location, labels: s.Label, nums: s.NumLabel, vals: append([]int64(nil), s.Value...), w: float64(s.Value[0])}
		k := key(st)
		if old := seen[k]; old != nil {
			for i := range old.vals {
				old.vals[i] += st.vals[i]
			}
			old.w += st.w
			continue
		}
		seen[k] = st
		res = append(res, st)
	}
	if len(res) > want {
		// Keep the heaviest half and a random part of the tail.
		sort.SliceStable(res, func(i, j int) bool { return res[i].w > res[j].w })
		tail := res[want/2:]
		rng.Shuffle(len(tail), func(i, j int) { tail[i], tail[j] = tail[j], tail[i] })
		return res[:want]
	}
	// Recombine: the leaf part of one stack and the root part of another that
	// passes through the same call site.
	type at struct{ s, i int }
	by := map[uint64][]at{}
	for i, s := range res {
		for j, l := range s.locs {
			by[l.ID] = append(by[l.ID], at{i, j})
		}
	}
	real := len(res)
	for tries := 0; len(res) < want && tries < want*30; tries++ {
		a := res[rng.Intn(real)]
		if len(a.locs) < 4 {
			continue
		}
		i := 1 + rng.Intn(len(a.locs)-2)
		cand := by[a.locs[i].ID]
		c := cand[rng.Intn(len(cand))]
		b := res[c.s]
		locs := append(append([]*profile.Location(nil), a.locs[:i]...), b.locs[c.i:]...)
		if len(locs) > 128 {
			continue
		}
		n := &stack{locs: locs, labels: b.labels, nums: a.nums, w: math.Min(a.w, b.w) * 0.5 * rng.Float64()}
		for k := range a.vals {
			n.vals = append(n.vals, int64(float64(min(a.vals[k], b.vals[k]))*rng.Float64()))
		}
		k := key(n)
		if seen[k] != nil {
			continue
		}
		seen[k] = n
		res = append(res, n)
	}
	return res
}

// alias draws from a weighted population in constant time.
type alias struct {
	p []float64
	a []int32
}

func newAlias(w []float64) *alias {
	n := len(w)
	var sum float64
	for _, x := range w {
		sum += x
	}
	t := &alias{make([]float64, n), make([]int32, n)}
	var lo, hi []int32
	for i, x := range w {
		t.p[i] = x * float64(n) / sum
		if t.p[i] < 1 {
			lo = append(lo, int32(i))
		} else {
			hi = append(hi, int32(i))
		}
	}
	for len(lo) > 0 && len(hi) > 0 {
		l, h := lo[len(lo)-1], hi[len(hi)-1]
		lo = lo[:len(lo)-1]
		t.a[l] = h
		t.p[h] -= 1 - t.p[l]
		if t.p[h] < 1 {
			hi = hi[:len(hi)-1]
			lo = append(lo, h)
		}
	}
	for _, i := range append(lo, hi...) {
		t.p[i] = 1
	}
	return t
}

func (t *alias) draw(r *rand.Rand) int {
	i := r.Intn(len(t.p))
	if r.Float64() < t.p[i] {
		return i
	}
	return int(t.a[i])
}

func poisson(r *rand.Rand, l float64) int64 {
	if l <= 0 {
		return 0
	}
	if l > 50 {
		return int64(math.Max(0, math.Round(l+math.Sqrt(l)*r.NormFloat64())))
	}
	k, p, e := int64(0), 1.0, math.Exp(-l)
	for {
		p *= r.Float64()
		if p <= e {
			return k
		}
		k++
	}
}

func rngFor(seed int64, parts ...string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d", seed)
	for _, p := range parts {
		fmt.Fprintf(h, "|%s", p)
	}
	return rand.New(rand.NewSource(int64(h.Sum64())))
}

// markHot picks the function that runs hot for a while.
func markHot(st []*stack, rng *rand.Rand) {
	weight := map[string]float64{}
	var total float64
	name := func(l *profile.Location) string {
		if len(l.Line) == 0 || l.Line[0].Function == nil {
			return ""
		}
		return l.Line[0].Function.Name
	}
	for _, s := range st {
		total += s.w
		on := map[string]bool{}
		for _, l := range s.locs {
			if n := name(l); n != "" && !on[n] {
				on[n] = true
				weight[n] += s.w
			}
		}
	}
	var cand []string
	for n, w := range weight {
		if w > 0.03*total && w < 0.15*total && !strings.HasPrefix(n, "runtime.") {
			cand = append(cand, n)
		}
	}
	if len(cand) == 0 {
		return
	}
	sort.Strings(cand)
	hot := cand[rng.Intn(len(cand))]
	for _, s := range st {
		for _, l := range s.locs {
			if name(l) == hot {
				s.hot = true
			}
		}
	}
}

type job struct {
	svc   service
	inst  string
	no    int
	pools map[string][]*stack
	heads map[string]*profile.Profile
}

type out struct {
	mu   sync.Mutex
	dir  string
	meta *corpus.Meta
	all  []*corpus.Profile
	uniq map[string]map[string]bool
}

func main() {
	base := flag.String("base", "base", "directory with the captured profiles")
	dir := flag.String("out", "corpus", "directory to write")
	seed := flag.Int64("seed", 1, "seed")
	nsvc := flag.Int("services", 5, "how many services (at most 6)")
	ninst := flag.Int("instances", 4, "instances per service")
	steps := flag.Int("steps", 240, "timestamps")
	step := flag.Duration("step", 15*time.Second, "time between two scrapes")
	start := flag.Int64("start", 0, "Unix time of the first scrape (0: so that the range ends ten minutes ago)")
	types := flag.String("types", "cpu,heap,mutex,block,goroutine", "profile types")
	flag.Parse()
	if *start == 0 {
		*start = time.Now().Add(-10*time.Minute-time.Duration(*steps)*(*step)).Unix() / 60 * 60
	}
	o := &out{dir: *dir, uniq: map[string]map[string]bool{}, meta: &corpus.Meta{Seed: *seed, StartNanos: *start * 1e9, StepNanos: int64(*step), Steps: *steps,
		Instances: *ninst, Types: strings.Split(*types, ","), PerType: map[string]*corpus.TypeStat{}}}
	var jobs []job
	for _, svc := range services[:min(*nsvc, len(services))] {
		o.meta.Services = append(o.meta.Services, svc.name)
		pools, heads := map[string][]*stack{}, map[string]*profile.Profile{}
		for _, t := range o.meta.Types {
			p := load(*base, svc.name, t)
			rng := rngFor(*seed, svc.name, t, "pool")
			want := svc.otherCap
			switch t {
			case "cpu":
				want = len(p.Sample) * 3 / 2
			case "heap":
				want = svc.heapCap
			case "goroutine":
				want = 4 * len(p.Sample)
			}
			pools[t], heads[t] = population(p, rng, want), p
			if t == "cpu" {
				markHot(pools[t], rng)
			}
		}
		for i := 0; i < *ninst; i++ {
			h := rngFor(*seed, svc.name, fmt.Sprint(i))
			jobs = append(jobs, job{svc, fmt.Sprintf("%s-%05x-%d", svc.name, h.Intn(1<<20), i), i, pools, heads})
		}
	}
	var wg sync.WaitGroup
	sem := make(chan struct{}, 2)
	for _, j := range jobs {
		for _, t := range o.meta.Types {
			wg.Add(1)
			sem <- struct{}{}
			go func() {
				defer func() { <-sem; wg.Done() }()
				o.series(j, t, *seed)
			}()
		}
	}
	wg.Wait()
	sort.Slice(o.all, func(i, j int) bool {
		if o.all[i].Nanos != o.all[j].Nanos {
			return o.all[i].Nanos < o.all[j].Nanos
		}
		return o.all[i].File < o.all[j].File
	})
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, p := range o.all {
		enc.Encode(p)
	}
	must(os.WriteFile(filepath.Join(*dir, "manifest.jsonl"), b.Bytes(), 0o644))
	for k, m := range o.uniq {
		typ, svc, _ := strings.Cut(k, "/")
		o.meta.PerType[typ].UniqueStacks[svc] = len(m)
	}
	js, _ := json.MarshalIndent(o.meta, "", "  ")
	must(os.WriteFile(filepath.Join(*dir, "corpus.json"), js, 0o644))
	fmt.Println(string(js))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// series writes every scrape of one profile type of one instance.
func (o *out) series(j job, typ string, seed int64) {
	rng := rngFor(seed, j.svc.name, j.inst, typ)
	pool := j.pools[typ]
	head := j.heads[typ]
	m := o.meta
	phase := rngFor(seed, j.inst, "phase").Int63n(m.StepNanos/2/1e6) * 1e6
	sub := filepath.Join(j.svc.name, j.inst, typ)
	must(os.MkdirAll(filepath.Join(o.dir, sub), 0o755))
	var next func(step int) ([]*stack, [][]int64)
	switch typ {
	case "cpu":
		next = cpuStream(j.svc, pool, rng, m)
	case "heap":
		next = heapStream(pool, rng, m)
	case "goroutine":
		next = gaugeStream(pool, rng)
	default:
		next = counterStream(pool, rng, m)
	}
	used := map[*stack]bool{}
	st := corpus.TypeStat{MinSamples: math.MaxInt}
	var list []*corpus.Profile
	for n := 0; n < m.Steps; n++ {
		stacks, vals := next(n)
		at := m.StartNanos + int64(n)*m.StepNanos + phase + rng.Int63n(40)*1e6
		raw := encode(head, typ, stacks, vals, at, m.StepNanos)
		var z bytes.Buffer
		zw, _ := gzip.NewWriterLevel(&z, gzip.BestSpeed) // what runtime/pprof uses
		zw.Write(raw)
		zw.Close()
		p := &corpus.Profile{File: filepath.ToSlash(filepath.Join(sub, fmt.Sprintf("%05d.pb.gz", n))), Service: j.svc.name, Instance: j.inst, Type: typ, Nanos: at, Step: n,
			Samples: len(stacks), Raw: len(raw), Sums: make([]int64, len(corpus.SampleTypes[typ]))}
		for i, v := range vals {
			used[stacks[i]] = true
			for k, x := range v {
				p.Sums[k] += x
				if x != 0 {
					p.Values++
				}
			}
		}
		must(os.WriteFile(filepath.Join(o.dir, p.File), z.Bytes(), 0o644))
		list = append(list, p)
		st.Profiles++
		st.Samples += int64(p.Samples)
		st.Values += int64(p.Values)
		st.MinSamples, st.MaxSamples = min(st.MinSamples, p.Samples), max(st.MaxSamples, p.Samples)
		st.GzBytes += int64(z.Len())
		st.RawBytes += int64(len(raw))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, list...)
	t := m.PerType[typ]
	if t == nil {
		t = &corpus.TypeStat{MinSamples: math.MaxInt, UniqueStacks: map[string]int{}}
		m.PerType[typ] = t
	}
	t.Profiles += st.Profiles
	t.Samples += st.Samples
	t.Values += st.Values
	t.GzBytes += st.GzBytes
	t.RawBytes += st.RawBytes
	t.MinSamples, t.MaxSamples = min(t.MinSamples, st.MinSamples), max(t.MaxSamples, st.MaxSamples)
	m.Profiles += st.Profiles
	m.Samples += st.Samples
	m.Values += st.Values
	m.GzBytes += st.GzBytes
	m.RawBytes += st.RawBytes
	uk := typ + "/" + j.svc.name
	if o.uniq[uk] == nil {
		o.uniq[uk] = map[string]bool{}
	}
	for s := range used {
		var b strings.Builder
		for _, l := range s.locs {
			fmt.Fprintf(&b, "%x,", l.ID)
		}
		o.uniq[uk][b.String()] = true
	}
}

func jitter(rng *rand.Rand, sigma float64) float64 { return math.Exp(sigma * rng.NormFloat64()) }

func cpuStream(svc service, pool []*stack, rng *rand.Rand, m *corpus.Meta) func(int) ([]*stack, [][]int64) {
	mk := func(hot float64) *alias {
		w := make([]float64, len(pool))
		for i, s := range pool {
			w[i] = (s.w + 0.05) * jitter(rng, 0.5)
			if s.hot {
				w[i] *= hot
			}
		}
		return newAlias(w)
	}
	a, b, c := mk(1), mk(1), mk(5)
	size := jitter(rng, 0.25)
	ph := rng.Float64() * 2 * math.Pi
	return func(n int) ([]*stack, [][]int64) {
		x := float64(n) / float64(m.Steps)
		load := 1 + 0.35*math.Sin(2*math.Pi*x+ph) + 0.1*rng.NormFloat64()
		hits := poisson(rng, math.Max(0.1, load)*size*svc.cores*float64(m.StepNanos)/1e7)
		mix := 0.5 + 0.5*math.Sin(2*math.Pi*3*x+ph)
		hot := x >= 0.6 && x < 0.7
		cnt := map[int]int64{}
		var order []int
		for ; hits > 0; hits-- {
			t := a
			if rng.Float64() < mix {
				t = b
			}
			if hot && rng.Float64() < 0.6 {
				t = c
			}
			i := t.draw(rng)
			if cnt[i] == 0 {
				order = append(order, i)
			}
			cnt[i]++
		}
		st, vs := make([]*stack, len(order)), make([][]int64, len(order))
		for k, i := range order {
			st[k], vs[k] = pool[i], []int64{cnt[i], cnt[i] * 1e7}
		}
		return st, vs
	}
}

type counter struct {
	s          *stack
	from       int
	rate, mean float64 // events per step, in-use objects
	size       float64 // bytes per object, nanoseconds per event
	unit       float64 // events one sample stands for
	n, space   int64
	live       float64
}

func heapStream(pool []*stack, rng *rand.Rand, m *corpus.Meta) func(int) ([]*stack, [][]int64) {
	cs := make([]*counter, len(pool))
	up := 240 + rng.Float64()*4000
	for i, s := range pool {
		c := &counter{s: s}
		if rng.Float64() < 0.35 {
			c.from = rng.Intn(m.Steps)
		}
		n, sp := math.Max(1, float64(s.vals[0])), math.Max(8, float64(s.vals[1]))
		c.size = math.Max(8, math.Round(sp/n))
		c.unit = math.Max(1, 524288/c.size) // Go samples one object per 512 KiB
		c.rate = n / 40 * jitter(rng, 0.6)
		c.mean = float64(s.vals[2]) * jitter(rng, 0.6)
		if c.from == 0 {
			c.n = int64(c.rate * up)
		}
		c.n = max(c.n, int64(c.unit))
		c.space = c.n * int64(c.size)
		c.live = c.mean
		cs[i] = c
	}
	rng.Shuffle(len(cs), func(i, j int) { cs[i], cs[j] = cs[j], cs[i] })
	return func(step int) ([]*stack, [][]int64) {
		var st []*stack
		var vs [][]int64
		for _, c := range cs {
			if step < c.from {
				continue
			}
			if step > c.from {
				d := int64(float64(poisson(rng, c.rate/c.unit)) * c.unit)
				c.n += d
				c.space += d * int64(c.size)
			}
			if c.mean > 0 {
				c.live += 0.2*(c.mean-c.live) + 0.15*c.mean*rng.NormFloat64()
			}
			live := int64(0)
			if c.live > 0 {
				live = int64(float64(poisson(rng, c.live/c.unit)) * c.unit)
			}
			live = min(live, c.n)
			st = append(st, c.s)
			vs = append(vs, []int64{c.n, c.space, live, live * int64(c.size)})
		}
		return st, vs
	}
}

func counterStream(pool []*stack, rng *rand.Rand, m *corpus.Meta) func(int) ([]*stack, [][]int64) {
	cs := make([]*counter, len(pool))
	for i, s := range pool {
		c := &counter{s: s}
		if rng.Float64() < 0.3 {
			c.from = rng.Intn(m.Steps)
		}
		n := math.Max(1, float64(s.vals[0]))
		c.size = math.Max(1000, float64(s.vals[1])/n)
		c.rate = n / 40 * jitter(rng, 0.6)
		c.n = 1
		if c.from == 0 {
			c.n += int64(c.rate * 800)
		}
		c.space = int64(float64(c.n) * c.size)
		cs[i] = c
	}
	return func(step int) ([]*stack, [][]int64) {
		var st []*stack
		var vs [][]int64
		for _, c := range cs {
			if step < c.from {
				continue
			}
			d := poisson(rng, c.rate)
			c.n += d
			c.space += int64(float64(d) * c.size * jitter(rng, 0.3))
			st = append(st, c.s)
			vs = append(vs, []int64{c.n, c.space})
		}
		return st, vs
	}
}

func gaugeStream(pool []*stack, rng *rand.Rand) func(int) ([]*stack, [][]int64) {
	scale := make([]float64, len(pool))
	for i := range scale {
		scale[i] = jitter(rng, 0.7)
	}
	return func(int) ([]*stack, [][]int64) {
		var st []*stack
		var vs [][]int64
		for i, s := range pool {
			if v := poisson(rng, math.Max(0.4, s.w)*scale[i]*2); v > 0 {
				st = append(st, s)
				vs = append(vs, []int64{v})
			}
		}
		return st, vs
	}
}
