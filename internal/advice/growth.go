package advice

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Growth is how the cost of a line grows with the size in the names of sub-benchmarks.
type Growth struct {
	Small, Large string  // the subjects with the smallest and the largest size
	Size         float64 // how many times as large the size is
	Cost         float64 // how many times as much CPU time the line takes per operation
	// Power is the power of the size with which the cost grows: 2 is quadratic. It is exact only if the
	// cost has one term. Error is its standard error, from the numbers of samples.
	Power, Error float64
}

const (
	// minGrowthSamples is how many samples of CPU time a line needs with each size: the cost of a
	// line with fewer is off by more than a fifth.
	minGrowthSamples = 25
	minGrowthSize    = 2 // a smaller change of the size shows little
)

// Growth returns how the line's own work grows with the size in the names of sub-benchmarks, if it was
// profiled with two sizes. If several families of sub-benchmarks have sizes, it takes the one with the
// widest range.
func (c *Costs) Growth() (best Growth, ok bool) {
	for _, points := range c.sized() {
		g := growthOf(points)
		if g.Size < minGrowthSize {
			continue
		}
		if !ok || cmp.Or(cmp.Compare(g.Size, best.Size), strings.Compare(best.Small, g.Small)) > 0 {
			best, ok = g, true
		}
	}
	return best, ok
}

// A sizedCost is what a line costs in a sub-benchmark with a size in its name.
type sizedCost struct {
	subject string
	size    float64
	nanos   float64 // CPU time per operation
	samples int64
}

// sized returns what the line costs with each size, by family of sub-benchmarks.
func (c *Costs) sized() map[string][]sizedCost {
	families := make(map[string][]sizedCost)
	for subject, v := range c.hot.match(about{folded: true}) {
		perOp := c.seen.opTimes[subject]
		if perOp == 0 || v[cpuSamples] < minGrowthSamples {
			continue
		}
		cost := sizedCost{subject: c.seen.subjects[subject], nanos: perOp * c.seen.share(v[cpuTime], subject, cpuTime), samples: v[cpuSamples]}
		for _, s := range sizesIn(cost.subject) {
			cost.size = s.size
			families[s.family] = append(families[s.family], cost)
		}
	}
	return families
}

// growthOf compares the costs with the smallest and the largest size.
func growthOf(costs []sizedCost) Growth {
	order := func(a, b sizedCost) int {
		return cmp.Or(cmp.Compare(a.size, b.size), strings.Compare(a.subject, b.subject))
	}
	small, large := slices.MinFunc(costs, order), slices.MaxFunc(costs, order)
	g := Growth{Small: small.subject, Large: large.subject, Size: large.size / small.size, Cost: large.nanos / small.nanos}
	g.Power = math.Log(g.Cost) / math.Log(g.Size)
	g.Error = math.Sqrt(1/float64(small.samples)+1/float64(large.samples)) / math.Log(g.Size)
	return g
}

// A sizeIn is a number in the name of a sub-benchmark that says how large its input is.
type sizeIn struct {
	family string // the name with # for the number
	size   float64
}

// sizesIn returns the sizes in a subject's name: "Sum/n=100-8" has 100. The number of processors at the end
// isn't a size, nor is a number of workers.
func sizesIn(subject string) (all []sizeIn) {
	name := subject
	if i := strings.LastIndexByte(name, '-'); i >= 0 && isNumber(name[i+1:]) {
		name = name[:i]
	}
	sub := strings.IndexByte(name, '/')
	if sub < 0 {
		return nil
	}
	for start := sub; start < len(name); {
		if !isSeparator(name[start]) {
			start++
			continue
		}
		begin := start + 1
		end := begin
		for end < len(name) && !isSeparator(name[end]) {
			end++
		}
		word := name[begin:end]
		digits := strings.TrimLeft(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		key := strings.ToLower(word[:len(word)-len(digits)])
		if key == "" { // a number alone: n in n=100 says what it is, and nothing does after a slash
			before := name[:start]
			if i := strings.LastIndexFunc(before, func(r rune) bool { return r < 0x80 && isSeparator(byte(r)) }); i >= 0 && name[start] != '/' {
				key = strings.ToLower(before[i+1:])
			}
			if !slices.Contains(otherNumbers, key) {
				all = appendSize(all, name, end-len(digits), end)
			}
		} else if slices.Contains(sizeNames, key) {
			all = appendSize(all, name, end-len(digits), end)
		}
		start = end
	}
	return all
}

// sizeNames are the words that say "size" right before a number. Other letters are part of a name, as in
// sha256.
var sizeNames = []string{"n", "m", "size", "len", "length", "count", "items", "elems", "elements", "rows", "lines", "keys", "nodes", "entries", "x", "b", "bytes"}

// otherNumbers are words before numbers that don't say how large an input is.
var otherNumbers = []string{"workers", "worker", "procs", "cpu", "cpus", "p", "g", "goroutines", "routines", "threads", "parallel", "parallelism", "concurrency", "conns", "connections", "clients", "shards", "level", "seed", "version", "v", "port", "rate", "percent", "base", "bits"}

func appendSize(all []sizeIn, name string, begin, end int) []sizeIn {
	if n, ok := parseSize(name[begin:end]); ok {
		all = append(all, sizeIn{name[:begin] + "#" + name[end:], n})
	}
	return all
}

// parseSize reads a number such as 1000, 1_000, 1e6, 4k, 10KB or 1MiB. It is above 0.
func parseSize(text string) (size float64, ok bool) {
	number := strings.TrimRight(text, "kKmMgGiIbB")
	unit := strings.ToLower(text[len(number):])
	n, err := strconv.ParseFloat(strings.ReplaceAll(number, "_", ""), 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) || number == "" || number[0] < '0' || number[0] > '9' {
		return 0, false
	}
	thousand := 1000.0
	if strings.Contains(unit, "b") { // in benchmarks' names, KB means 1024 bytes
		thousand = 1024
	}
	switch strings.TrimSuffix(strings.TrimSuffix(unit, "b"), "i") {
	case "":
		return n, true
	case "k":
		return n * thousand, true
	case "m":
		return n * thousand * thousand, true
	case "g":
		return n * thousand * thousand * thousand, true
	}
	return 0, false
}

func isSeparator(c byte) bool {
	return c == '/' || c == '=' || c == '-' || c == ':' || c == ',' || c == '_' || c == '#'
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
