package regresstest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hone-go/hone/internal/regress"
)

// view is how a version's profiles show the program's calls.
type view struct {
	function, parent []int // by node, then nodes that are new
	share            []float64
	leak             []float64 // growth per hour, by node; nil without
}

// view returns how a version shows the calls, and what they cost.
func (f *Fleet) view(d *deploy) *view {
	if v := f.views[d.version]; v != nil {
		return v
	}
	v := &view{}
	for _, n := range f.program.nodes {
		v.function, v.parent = append(v.function, n.function), append(v.parent, n.parent)
		v.share = append(v.share, n.share*d.layout[n.function])
	}
	for _, c := range d.changes {
		v.apply(c, f.program)
	}
	f.views[d.version] = v
	return v
}

// apply applies a change. New functions get numbers in the program's names.
func (v *view) apply(c Change, p *program) {
	f := slices.Index(p.names, c.Function)
	name := func(name string) int {
		if i := slices.Index(p.names, name); i >= 0 {
			return i
		}
		p.names = append(p.names, name)
		return len(p.names) - 1
	}
	changed, nodes := 0.0, len(p.nodes)
	for i := range nodes {
		if p.costs(&p.nodes[i]) == f {
			changed += v.share[i]
		}
	}
	for i := range nodes {
		if p.costs(&p.nodes[i]) != f {
			continue
		}
		if c.Leak > 0 {
			v.leak = append(v.leak, make([]float64, nodes-len(v.leak))...)
			v.leak[i] = c.Leak
		}
		if c.Calls > 0 {
			v.function, v.parent = append(v.function, name(c.Function+".new")), append(v.parent, i)
			v.share = append(v.share, c.Calls*v.share[i]/changed)
		}
		if c.Factor > 0 {
			v.share[i] *= c.Factor
		}
		if c.Rename {
			v.function[i] = name(c.Function + "2")
		}
		if c.Inline && v.parent[i] >= 0 {
			v.function[i] = v.function[v.parent[i]]
		}
		if c.Wrap {
			v.function, v.parent, v.share = append(v.function, name(c.Function+".wrapper")), append(v.parent, v.parent[i]), append(v.share, 0)
			v.parent[i] = len(v.function) - 1
		}
	}
}

// counts adds the samples of one instance and bucket to nodes.
func (f *Fleet) counts(instance string, t int64, d *deploy, sum []float64) {
	key := hourKey{instance, t}
	if f.buckets[key] == nil {
		f.buckets[key] = f.sample(instance, t, d)
	}
	for i, n := range f.buckets[key] {
		sum[i] += float64(n)
	}
}

// sample returns the samples of one instance and bucket by node.
func (f *Fleet) sample(instance string, t int64, d *deploy) []uint32 {
	v := f.view(d)
	noise := f.noise(instance, t/hour)
	sum := make([]uint32, len(v.share))
	rng := rand.New(rand.NewPCG(f.cfg.Seed^hash(f.cfg.Service), hash(instance, t)))
	k := f.kind
	load := f.cores(instance, t) / f.cfg.Cores * math.Exp(0.03*rng.NormFloat64())
	events, age := k.perCore*f.cfg.Cores*k.seconds, f.age(instance, t, d)
	if k.held {
		// The same objects are in the profiles of an hour.
		rng = rand.New(rand.NewPCG(f.cfg.Seed^hash(f.cfg.Service), hash(instance, t/hour, d.version, "held")))
		events *= 1 - 0.5*math.Exp(-age) // caches fill
	}
	var mix [endpoints]float64
	at := float64(t%day) / float64(day)
	for e := range endpoints {
		mix[e] = (1 + f.swing[e]*math.Sin(2*math.Pi*(at-f.phase[e]))) * math.Exp(f.mix[e][(t-start)/hour]+noise[e])
	}
	bad := instance == f.bad && t >= f.badTime[0] && t < f.badTime[1]
	for i, share := range v.share {
		mean := events * share
		if i < len(f.program.nodes) {
			n := &f.program.nodes[i]
			if n.endpoint >= 0 && n.exponent != 0 {
				mean *= mix[n.endpoint]
			}
			mean *= noise[endpoints+i]
			if n.exponent == 1 {
				mean *= load
			} else if n.exponent != 0 {
				mean *= math.Pow(load, n.exponent)
			}
			if i < len(v.leak) {
				mean *= 1 + v.leak[i]*age
			}
			if bad {
				mean *= f.badNodes[i]
			}
		}
		sum[i] += k.draw(rng, mean)
	}
	return sum
}

// cores returns how much CPU an instance uses.
func (f *Fleet) cores(instance string, t int64) float64 {
	at := float64(t%day) / float64(day)
	cores := f.cfg.Cores * (1 + 0.4*math.Sin(2*math.Pi*(at-0.35))) * math.Exp(f.load[(t-start)/day])
	if (t-start)/day%7 >= 5 {
		cores *= 0.85 // the weekend
	}
	regular, here := 0, 0
	for i, name := range f.instances {
		if i < f.cfg.Instances {
			regular++
		}
		if f.cfg.Quiet || f.running(name, t) != nil {
			here++
		}
	}
	return cores * float64(regular) / float64(max(1, here)) * (0.95 + 0.1*float64(hash(instance)%100)/100)
}

// noise returns what is special about an instance's hour: of endpoints, then factors of nodes.
func (f *Fleet) noise(instance string, h int64) []float64 {
	n := len(f.program.nodes)
	if f.lasting[instance] == nil {
		rng := rand.New(rand.NewPCG(f.cfg.Seed, hash(instance, "lasting")))
		byFunction := make([]float64, len(f.program.names))
		for i := range byFunction {
			byFunction[i] = f.cfg.Noise.Instance * rng.NormFloat64()
		}
		for i := range n {
			f.lasting[instance] = append(f.lasting[instance], byFunction[f.program.nodes[i].function])
		}
	}
	key := hourKey{instance, h}
	if known := f.noises[key]; known != nil {
		return known
	}
	rng := rand.New(rand.NewPCG(f.cfg.Seed, hash(f.cfg.Service, instance, h, "hour")))
	out := make([]float64, endpoints+n)
	for e := range endpoints {
		out[e] = f.cfg.Noise.Endpoint * rng.NormFloat64()
	}
	byFunction := make([]float64, len(f.program.names))
	for i := range byFunction {
		byFunction[i] = f.cfg.Noise.Hour * f.kind.wobble * rng.NormFloat64()
	}
	for i := range n {
		out[endpoints+i] = math.Exp(f.lasting[instance][i] + byFunction[f.program.nodes[i].function])
	}
	if len(f.noises) > 100 {
		clear(f.noises)
	}
	f.noises[key] = out
	return out
}

// nodeSum are the samples of one instance and version.
type nodeSum struct {
	instance string
	deploy   *deploy
	buckets  int
	requests float64
	nodes    []float64
}

// between returns the samples of a time by instance and version.
func (f *Fleet) between(from, to int64) []nodeSum {
	from, to = max(from, start), min(to, start+int64(f.cfg.Days)*day)
	var out []nodeSum
	find := func(instance string, d *deploy) *nodeSum {
		for i := range out {
			if s := &out[i]; s.instance == instance && s.deploy == d {
				return s
			}
		}
		out = append(out, nodeSum{instance, d, 0, 0, make([]float64, len(f.view(d).share))})
		return &out[len(out)-1]
	}
	for _, instance := range f.instances {
		for t := from; t < to; {
			if t%hour == 0 && t+hour <= to {
				if d := f.steady(instance, t); d != nil {
					s := find(instance, d)
					s.buckets += int(hour / bucket)
					for at := t; f.cfg.Requests && at < t+hour; at += bucket {
						s.requests += f.requests(instance, at)
					}
					for i, v := range f.wholeHour(instance, t, d) {
						s.nodes[i] += v
					}
					t += hour
					continue
				}
			}
			if d := f.running(instance, t); d != nil {
				s := find(instance, d)
				s.buckets++
				if f.cfg.Requests {
					s.requests += f.requests(instance, t)
				}
				f.counts(instance, t, d, s.nodes)
			}
			t += bucket
		}
	}
	return out
}

// steady returns the version of an instance that runs it for a whole hour.
func (f *Fleet) steady(instance string, h int64) *deploy {
	d := f.running(instance, h)
	for t := h + bucket; t < h+hour && d != nil; t += bucket {
		if f.running(instance, t) != d {
			return nil
		}
	}
	return d
}

// wholeHour returns the samples of an hour, which it keeps.
func (f *Fleet) wholeHour(instance string, h int64, d *deploy) []float64 {
	key := hourKey{instance, h}
	if f.hours[key] == nil {
		sum := make([]float64, len(f.view(d).share))
		for t := h; t < h+hour; t += bucket {
			f.counts(instance, t, d, sum)
		}
		f.hours[key] = sum
	}
	return f.hours[key]
}

// Sums implements regress.Source.
func (f *Fleet) Sums(ctx context.Context, sel regress.Selection, frames *regress.Frames) ([]regress.Sum, error) {
	var out []regress.Sum
	for _, s := range f.between(sel.From, sel.To) {
		name := ""
		if sel.ByInstance {
			name = s.instance
		}
		i := slices.IndexFunc(out, func(o regress.Sum) bool { return o.Instance == name && o.Version == s.deploy.version })
		if i < 0 {
			i = len(out)
			out = append(out, regress.Sum{Instance: name, Version: s.deploy.version, Type: f.kind.typ, Unit: f.kind.unit, Event: f.kind.reported, Edges: map[regress.Edge]float64{}})
		}
		out[i].Requests += s.requests
		out[i].Seconds += float64(s.buckets) * f.kind.seconds
		f.add(&out[i], &s, sel.Edges, frames)
	}
	return out, ctx.Err()
}

// add adds samples of nodes to those of functions.
func (f *Fleet) add(to *regress.Sum, s *nodeSum, edges bool, frames *regress.Frames) {
	v := f.view(s.deploy)
	number := make([]int32, len(f.program.names))
	for i, name := range f.program.names {
		number[i] = frames.Number(name)
	}
	n := len(frames.Names)
	for _, column := range []*[]float64{&to.Own, &to.Cum} {
		*column = append(*column, make([]float64, n-len(*column))...)
	}
	// New nodes come after the ones they call, so children are followed upwards one by one.
	for i, value := range s.nodes {
		if value == 0 {
			continue
		}
		value *= f.kind.event
		to.Own[number[v.function[i]]] += value
		last := -1
		for at := i; at >= 0; at = v.parent[at] {
			fn := v.function[at]
			if fn == last { // inlined into its caller
				continue
			}
			if last >= 0 && edges {
				to.Edges[regress.Edge{Caller: number[fn], Callee: number[last]}] += value
			}
			to.Cum[number[fn]] += value
			last = fn
		}
	}
}

// Load implements regress.Source.
func (f *Fleet) Load(ctx context.Context, _ string, from, to int64) (float64, error) {
	sum, n := 0.0, 0.0
	for t := max(from, start); t < min(to, start+int64(f.cfg.Days)*day); t += bucket {
		known, ok := f.loads[t]
		if !ok {
			for _, instance := range f.instances {
				if f.running(instance, t) != nil {
					known[0], known[1] = known[0]+f.cores(instance, t), known[1]+1
				}
			}
			f.loads[t] = known
		}
		sum, n = sum+known[0], n+known[1]
	}
	return sum / max(n, 1), ctx.Err()
}
