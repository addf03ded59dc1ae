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
// profiled with two sizes. Of several families of sub-benchmarks it takes the one with the widest range.
func (c *Costs) Growth() (best Growth, ok bool) {
	type point struct {
		subject int
		size    float64
		nanos   float64 // CPU time per operation
		samples int64
	}
	families := make(map[string][]point)
	for subject, v := range c.hot.match(about{folded: true}) {
		perOp := c.seen.opTimes[subject]
		if perOp == 0 || v[cpuSamples] < minGrowthSamples {
			continue
		}
		p := point{subject: subject, nanos: perOp * c.seen.share(v[cpuTime], subject, cpuTime), samples: v[cpuSamples]}
		for _, s := range sizesIn(c.seen.subjects[subject]) {
			p.size = s.size
			families[s.family] = append(families[s.family], p)
		}
	}
	for _, points := range families {
		slices.SortFunc(points, func(a, b point) int {
			return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(c.seen.subjects[a.subject], c.seen.subjects[b.subject]))
		})
		small, large := points[0], points[len(points)-1]
		size := large.size / small.size
		if size < minGrowthSize {
			continue
		}
		g := Growth{
			Small: c.seen.subjects[small.subject], Large: c.seen.subjects[large.subject],
			Size: size, Cost: large.nanos / small.nanos,
		}
		g.Power = math.Log(g.Cost) / math.Log(size)
		g.Error = math.Sqrt(1/float64(small.samples)+1/float64(large.samples)) / math.Log(size)
		if !ok || cmp.Or(cmp.Compare(g.Size, best.Size), strings.Compare(best.Small, g.Small)) > 0 {
			best, ok = g, true
		}
	}
	return best, ok
}

// A sizeIn is a number in the name of a sub-benchmark that says how large its input is.
type sizeIn struct {
	family string // the name with # for the number
	size   float64
}

// sizesIn returns the sizes in a subject's name: "Sum/n=100-8" has 100. The number of processors at the end
// isn't one, nor are numbers of workers.
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
		if key == "" { // what the separator before it divides the number from
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

// sizeNames may stand before a size without a separator: other letters before a number belong to it, as
// in sha256.
var sizeNames = []string{"n", "m", "size", "len", "length", "count", "items", "elems", "elements", "rows", "lines", "keys", "nodes", "entries", "x", "b", "bytes"}

// otherNumbers are not about the size of an input.
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
