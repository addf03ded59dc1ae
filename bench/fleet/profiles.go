package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/profile"
)

var sampleTypes = map[string][]profile.ValueType{
	"cpu":       {{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
	"heap":      {{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}, {Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
	"goroutine": {{Type: "goroutine", Unit: "count"}},
	"mutex":     {{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}},
	"block":     {{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}},
	requests:    {{Type: "requests", Unit: "count"}},
}

// What one event of the profiler is.
const (
	cpuPeriod  = 10_000_000 // ns
	heapPeriod = 512 << 10  // bytes
	object     = 256        // bytes, of a mean object
)

// profileOf makes the profile of a push.
func profileOf(p push) *profile.Profile {
	s := serviceNamed(p.service)
	random := rand.New(rand.NewPCG(p.seed, 7))
	b := profile.NewBuilder(sampleTypes[p.kind]...)
	binary := b.Mapping(profile.Mapping{Start: 1 << 22, Limit: 1 << 26, File: "/app/" + s.name, BuildID: s.name + p.version, HasFunctions: true, HasFilenames: true, HasLineNumbers: true})
	busy := p.load * math.Exp(0.05*random.NormFloat64()) // no two are alike
	for _, endpoint := range s.requested(p.kind) {
		labels := []profile.Label{{Key: b.String("endpoint"), Str: b.String(endpoint)}}
		b.Sample(nil, labels, poisson(random, busy*rate(endpoint)*p.lasts.Seconds()))
	}
	for i := range s.paths {
		if p.kind == requests {
			break
		}
		one := &s.paths[i]
		values := one.values(s, p, busy, random)
		if values == nil {
			continue
		}
		var stack []uint32
		for _, call := range one.stack(s.module) {
			stack = append(stack, locate(b, binary, call))
		}
		var labels []profile.Label
		if one.endpoint != "" {
			labels = []profile.Label{{Key: b.String("endpoint"), Str: b.String(one.endpoint)}}
		}
		b.Sample(stack, labels, values...)
	}
	out := b.Profile()
	out.TimeNanos, out.DurationNanos = p.at.UnixNano(), int64(p.lasts)
	switch types := out.SampleTypes; p.kind {
	case "cpu":
		out.PeriodType, out.Period = types[1], cpuPeriod
	case "heap":
		out.PeriodType, out.Period = profile.ValueType{Type: "space", Unit: "bytes"}, heapPeriod
		out.DefaultSampleType = "inuse_space"
	case "goroutine":
		out.PeriodType, out.Period = types[0], 1
	default:
		out.PeriodType, out.Period = types[0], 1
	}
	return out
}

// requested returns the endpoints whose requests are counted: all, in profiles that count them.
func (s *service) requested(kind string) []string {
	var all []string
	for i := range s.paths {
		if endpoint := s.paths[i].endpoint; kind == requests && endpoint != "" && !slices.Contains(all, endpoint) {
			all = append(all, endpoint)
		}
	}
	return all
}

// rate returns how many requests an instance gets per second.
func rate(endpoint string) float64 {
	switch endpoint {
	case "/checkout":
		return 6
	case "/healthz":
		return 2
	case "/suggest":
		return 140
	}
	return 30
}

// values returns the values of a path's sample, or nil if it has none.
func (one *path) values(s *service, p push, busy float64, random *rand.Rand) []int64 {
	var sum weights
	for i := range s.paths {
		sum.add(&s.paths[i].weights)
	}
	times := 1.0
	for i := range s.effects {
		times *= s.effects[i].times(one.calls, p)
	}
	seconds := p.lasts.Seconds()
	part := func(w, all float64) float64 { return times * w / all }
	switch p.kind {
	case "cpu":
		n := poisson(random, busy*s.cores*seconds*1e9/cpuPeriod*part(one.cpu, sum.cpu))
		return some(n, n*cpuPeriod)
	case "heap":
		used := poisson(random, s.heap*(0.8+0.2*busy)/heapPeriod*part(one.used, sum.used)) * heapPeriod
		alloc := poisson(random, busy*s.cores*30e6*seconds/heapPeriod*part(one.alloc, sum.alloc)) * heapPeriod
		return some(alloc/object, alloc, used/object, used)
	case "goroutine":
		return some(poisson(random, busy*s.waiting*part(one.goroutine, sum.goroutine)))
	case "mutex":
		n := poisson(random, busy*s.lock*seconds*1000*part(one.mutex, sum.mutex))
		return some(n, n*1_000_000)
	case "block":
		n := poisson(random, busy*s.lock*seconds*40*part(one.block, sum.block))
		return some(n, n*50_000_000)
	}
	panic("unknown kind " + p.kind)
}

func (w *weights) add(o *weights) {
	w.cpu, w.used, w.alloc = w.cpu+o.cpu, w.used+o.used, w.alloc+o.alloc
	w.goroutine, w.mutex, w.block = w.goroutine+o.goroutine, w.mutex+o.mutex, w.block+o.block
}

// some returns values unless all are 0.
func some(values ...int64) []int64 {
	for _, v := range values {
		if v != 0 {
			return values
		}
	}
	return nil
}

// poisson returns how many events there are if mean are expected.
func poisson(random *rand.Rand, mean float64) int64 {
	if mean > 30 {
		return max(0, int64(math.Round(mean+math.Sqrt(mean)*random.NormFloat64())))
	}
	n, left := int64(0), math.Exp(-mean)
	for at := random.Float64(); at > left; n++ {
		at *= random.Float64()
	}
	return n
}

// locate returns the location of a call, NAME:LINE.
func locate(b *profile.Builder, binary uint32, call string) uint32 {
	colon := strings.LastIndexByte(call, ':')
	name, line := call[:colon], call[colon+1:]
	n, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		panic("call without a line: " + call)
	}
	f := b.Function(name, name, file(name), max(1, n-n%20))
	return b.Location(1<<22+uint64(n)<<8+uint64(len(name)), binary, profile.Line{Function: f, Line: n})
}

// file returns the file of a function: its package's folder and name.
func file(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	pkg, _, _ := strings.Cut(function[slash:], ".")
	folder := function[:slash] + pkg
	if pkg == "main" {
		return "/src/main.go"
	}
	if !strings.Contains(function[:slash], ".") {
		return "/usr/local/go/src/" + folder + "/" + pkg + ".go"
	}
	return "/src/" + folder + "/" + pkg + ".go"
}
