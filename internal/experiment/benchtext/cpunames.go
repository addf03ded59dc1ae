package benchtext

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// NameByCPU tells apart benchmarks that go test -cpu 1,2 prints by one name: Sort/size
// on two CPUs, and Sort/size-2 on one, are both Sort/size-2. The latter gets the count
// that go test leaves out, Sort/size-2-1. It returns a warning for each such name.
//
// Go test prints a benchmark as often as -count says on the first number of CPUs, then
// on the next; so the order tells which is which. Where it doesn't, since results are
// missing or were sorted, the warning says that the samples of two benchmarks are mixed.
func NameByCPU(file string, results []*benchfmt.Result) (warnings []string) {
	var told []string
	for len(results) > 0 {
		n := 1
		for n < len(results) && results[n].GetConfig("pkg") == results[0].GetConfig("pkg") {
			n++
		}
		some := results[:n]
		results = results[n:]
		names := make(map[string]bool)
		for _, r := range some {
			names[r.Name.String()] = true
		}
		shared := sharedNames(names)
		if len(shared) == 0 {
			continue
		}
		counts := cpuCounts(some)
		for i, r := range some {
			name := r.Name.String()
			if !slices.Contains(shared, name) || counts != nil && counts[i] != 1 {
				continue
			}
			full := name
			if r.GetConfig("pkg") != "" {
				full = r.GetConfig("pkg") + "." + name
			}
			if counts != nil {
				r.Name = benchfmt.Name(name + "-1")
			}
			if slices.Contains(told, full) {
				continue
			}
			told = append(told, full)
			what := fmt.Sprintf("%s: %s is the name of two benchmarks, measured on one CPU and on several", file, full)
			if counts == nil {
				warnings = append(warnings, what+"; which result is which can't be told, so their samples are mixed: measure with one -cpu at once")
			} else {
				warnings = append(warnings, what+"; the one on one CPU is called "+full+"-1 here")
			}
		}
	}
	return warnings
}

// sharedNames returns the names that may be of two benchmarks: X-2 where there are X,
// and X-2-2 or the like as well, in order.
func sharedNames(names map[string]bool) (shared []string) {
	counted := make(map[string]bool)
	for name := range names {
		if without := WithoutProcs(name); without != name {
			counted[without] = true
		}
	}
	for name := range names {
		if without := WithoutProcs(name); without != name && names[without] && counted[name] {
			shared = append(shared, name)
		}
	}
	slices.Sort(shared)
	return shared
}

// cpuCounts returns on how many CPUs each of a package's results was measured, nil if
// their order doesn't tell.
func cpuCounts(results []*benchfmt.Result) []int {
	names := make([]string, len(results))
	for i, r := range results {
		names[i] = r.Name.String()
	}
	repeats := 1
	for repeats < len(names) && names[repeats] == names[0] {
		repeats++
	}
	for _, first := range []string{names[0], WithoutProcs(names[0])} {
		cpus := cpuList(first, names, repeats)
		if len(cpus) < 2 || !slices.Contains(cpus, 1) {
			continue
		}
		if counts := readCPUCounts(names, repeats, cpus); counts != nil {
			return counts
		}
	}
	return nil
}

// WithoutProcs cuts the CPU count, as in "-4", that go test appends to a benchmark's name.
func WithoutProcs(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i > 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789") == "" {
		return name[:i]
	}
	return name
}

// onCPUs is the name that go test prints.
func onCPUs(benchmark string, cpus int) string {
	if cpus == 1 {
		return benchmark
	}
	return fmt.Sprintf("%s-%d", benchmark, cpus)
}

// cpuList returns the numbers of CPUs on which the first benchmark was measured.
func cpuList(benchmark string, names []string, repeats int) (cpus []int) {
	for i := 0; i < len(names); i += repeats {
		n := 1
		if names[i] != benchmark {
			if WithoutProcs(names[i]) != benchmark {
				break
			}
			fmt.Sscanf(names[i][len(benchmark):], "-%d", &n)
		}
		if n < 1 || slices.Contains(cpus, n) || onCPUs(benchmark, n) != names[i] {
			break
		}
		cpus = append(cpus, n)
	}
	return cpus
}

// readCPUCounts reads all names as those of benchmarks measured on a list of CPUs, nil
// if they aren't.
func readCPUCounts(names []string, repeats int, cpus []int) []int {
	if len(names)%(repeats*len(cpus)) != 0 {
		return nil
	}
	counts := make([]int, 0, len(names))
	for i := 0; i < len(names); i += repeats * len(cpus) {
		benchmark := names[i]
		if cpus[0] != 1 {
			benchmark = strings.TrimSuffix(benchmark, fmt.Sprintf("-%d", cpus[0]))
		}
		for j := range repeats * len(cpus) {
			n := cpus[j/repeats]
			if names[i+j] != onCPUs(benchmark, n) {
				return nil
			}
			counts = append(counts, n)
		}
	}
	return counts
}
