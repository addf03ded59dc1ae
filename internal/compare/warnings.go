package compare

import (
	"fmt"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
)

// warnings says what of two sides can't be compared, each thing once and not
// for each unit.
func (s *Sides) warnings() []string {
	var w []string
	for _, u := range s.Unmeasured {
		w = append(w, "failed in "+u.String())
	}
	w = append(w, differentMachines(s.base, s.head)...)
	type benchmark struct{ pkg, name string }
	type state struct {
		units [2][]string // which only that side has
		both  bool
	}
	var order []benchmark
	all := make(map[benchmark]*state)
	single := 0
	for i := range s.Comparisons {
		c := &s.Comparisons[i]
		if c.Verdict == experiment.SameCode {
			continue // the base need not be measured
		}
		b := benchmark{c.Package, c.Benchmark}
		if all[b] == nil {
			all[b] = new(state)
			order = append(order, b)
		}
		base, head := len(c.Values(experiment.Base)), len(c.Values(experiment.Head))
		switch {
		case head == 0:
			all[b].units[0] = append(all[b].units[0], c.Unit)
		case base == 0:
			all[b].units[1] = append(all[b].units[1], c.Unit)
		default:
			all[b].both = true
			if base == 1 || head == 1 {
				single++
			}
		}
	}
	var only [2][]string
	reasons := make(map[string]string)
	for _, b := range order {
		st := all[b]
		name := b.name
		if b.pkg != "" {
			name = b.pkg + "." + name
		}
		for side := range only {
			switch u := st.units[side]; {
			case len(u) == 0:
			case len(st.units[1-side]) > 0 && side == 0:
				w = append(w, fmt.Sprintf("%s: units differ: %s in %s, %s in %s; these are not compared",
					name, strings.Join(u, ", "), s.base.Label, strings.Join(st.units[1], ", "), s.head.Label))
			case len(st.units[1-side]) > 0:
			case st.both:
				w = append(w, fmt.Sprintf("%s: %s was measured in %s only%s", name, strings.Join(u, ", "), []*input{s.base, s.head}[side].Label, s.why(side, b.pkg, b.name, u[0])))
			default:
				only[side] = append(only[side], name)
				reasons[name] = s.why(side, b.pkg, b.name, "")
			}
		}
	}
	for side, names := range only {
		if len(names) == 0 {
			continue
		}
		more := ""
		if len(names) > 5 {
			names, more = names[:5], fmt.Sprintf(" and %d more", len(names)-5)
		}
		told := make([]string, len(names))
		for i, name := range names {
			told[i] = name
			if side == 0 {
				told[i] += reasons[name]
			}
		}
		w = append(w, fmt.Sprintf("only in %s: %s%s", []*input{s.base, s.head}[side].Label, strings.Join(told, ", "), more))
	}
	if cpus := otherCPUCount(only); cpus != "" {
		w = append(w, cpus)
	}
	if single > 0 {
		w = append(w, "with a single sample nothing can be told from noise: measure with -count 10")
	}
	return w
}

// why tells in brackets why the head lacks a benchmark, or a unit of it; "" if its file
// doesn't say.
func (s *Sides) why(side int, pkg, benchmark, unit string) string {
	for _, g := range s.Missing {
		if side == 0 && g.Package == pkg && g.Benchmark == benchmark && (g.Unit == unit || g.Unit == "") && g.Why != "not in "+s.head.Label {
			return " (" + g.Why + ")"
		}
	}
	return ""
}

// otherCPUCount explains sets of benchmarks that differ in the number behind
// their names alone.
func otherCPUCount(only [2][]string) string {
	for _, b := range only[0] {
		for _, h := range only[1] {
			i, j := strings.LastIndexByte(b, '-'), strings.LastIndexByte(h, '-')
			if i > 0 && j > 0 && b[:i] == h[:j] {
				return fmt.Sprintf("%s and %s have different numbers of CPUs, so they are not compared; -cpu sets it", b, h)
			}
		}
	}
	return ""
}

// differentMachines says in what the environments of two runs differ.
func differentMachines(base, head *input) []string {
	if base.run == nil || head.run == nil || base.run == head.run {
		return nil
	}
	b, h := base.run.Environment, head.run.Environment
	var w []string
	for _, f := range []struct{ what, base, head string }{
		{"CPU", b.CPU, h.CPU}, {"operating system", b.GOOS, h.GOOS}, {"architecture", b.GOARCH, h.GOARCH},
		{"Go version", b.Go, h.Go}, {"GOGC", b.GOGC, h.GOGC}, {"GOMEMLIMIT", b.GOMEMLIMIT, h.GOMEMLIMIT},
		{"GODEBUG", b.GODEBUG, h.GODEBUG}, {"GOFLAGS", b.GOFLAGS, h.GOFLAGS}, {"CPU governor", b.Governor, h.Governor},
	} {
		if f.base != f.head {
			w = append(w, fmt.Sprintf("%s and %s were measured with another %s: %s, %s", base.Label, head.Label, f.what, orNone(f.base), orNone(f.head)))
		}
	}
	return w
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
