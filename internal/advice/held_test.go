package advice

import (
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// TestHeld has a line hold blocks of 48 and 4096 bytes, and lib.read below it one, of a heap of 1 GiB.
func TestHeld(t *testing.T) {
	const mib = 1 << 20
	heap := func(small, large, below int64) Input {
		b := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"},
			profile.ValueType{Type: "inuse_objects", Unit: "count"}, profile.ValueType{Type: "inuse_space", Unit: "bytes"})
		at := b.Location(0, 0, profile.Line{Function: b.Function("example.com/m/p.hot", "", "/src/p.go", 7), Line: 8})
		read := b.Location(0, 0, profile.Line{Function: b.Function("lib.read", "lib.read", "/lib/read.go", 1), Line: 1})
		add := func(stack []uint32, size, bytes int64) {
			b.Sample(stack, []profile.Label{{Key: b.String("bytes"), Numeric: true, Num: size}}, bytes/size, bytes, bytes/size, bytes)
		}
		add([]uint32{at}, 48, small)
		add([]uint32{at}, 4096, large)
		add([]uint32{read, at}, 1024, below)
		add([]uint32{read}, 1024, 1024*mib-small-large-below)
		return Input{Profile: b.Profile(), Subject: "Server"}
	}
	for _, c := range []struct {
		name               string
		in                 Input
		match              Match
		cost, gain, points string
	}{
		{"all", heap(96*mib, 160*mib, 256*mib), Match{},
			"cost: 50.0 % of the heap in use (512 MiB in 2400256 objects) of Server", "gain: at most 50.0 % less heap in use (512 MiB)", "at most 50.0 % less heap in use (512 MiB)"},
		{"blocks", heap(96*mib, 160*mib, 256*mib), Match{Blocks: func(size int64) bool { return size == 48 }, Saves: 1. / 3},
			"cost: 9.4 % of the heap in use (96 MiB in 2097152 objects) of Server", "gain: at most 3.1 % less heap in use (32 MiB)", "at most 3.1 % less heap in use (32 MiB)"},
		{"below 1 %", heap(24*mib, 160*mib, 0), Match{Blocks: func(size int64) bool { return size == 48 }, Saves: 1. / 3}, "", "", ""},
		{"little memory", heap(0, 10*mib, 0), Match{}, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Rule{ID: "holds", Title: "holds", Class: AdviceOnly, Holds: true, Match: func(s *Site) []Match {
				m := c.match
				m.Node = s.Nodes()[0].Node()
				return []Match{m}
			}}
			report := Examine([]Input{c.in}, []*Package{parse(t, calling)}, func(f *profile.Frame) string {
				if f.File == "/src/p.go" {
					return f.File
				}
				return ""
			}, Options{Rules: []*Rule{r}})
			var cost, gain, points string
			for _, f := range report.Findings {
				costs := f.Costs()
				cost, gain = costs[0], costs[1]
				if f.Bound.Time > 0 || f.Evidence.Bytes != nil || f.Little {
					t.Errorf("%+v %+v: want nothing but memory in use", f.Evidence, f.Bound)
				}
			}
			for _, p := range report.Summary {
				points = p.Most
			}
			if got, want := strings.Join([]string{cost, gain, points}, "\n"), strings.Join([]string{c.cost, c.gain, c.points}, "\n"); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestHeldFew: what less than four samples of the default rate say is not reported, whatever its share.
func TestHeldFew(t *testing.T) {
	e := &evidence{subjects: []string{""}, totals: []values{{liveBytes: 3 << 20}}}
	for bytes, want := range map[int64]bool{leastHeld: true, leastHeld - 1: false} {
		if got := e.holdsEnough(matched{0: {liveBytes: bytes}}, 1, DefaultMinShare); got != want {
			t.Errorf("%d bytes: %v", bytes, got)
		}
	}
}
