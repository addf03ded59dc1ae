package main

import (
	"slices"
	"strings"
	"testing"
)

// TestFlameViewers adds up what other programs are given, by their formats'
// descriptions, and compares it with the table of the same profile.
func TestFlameViewers(t *testing.T) {
	for _, args := range [][]string{
		{newRun},
		{"-sample_index=samples", newRun},
		{"-noinlines", newRun},
		{"-focus=strings", newRun},
		{"-tagroot=endpoint", testdata("cpu.labels.pb.gz")},
		{"-sample_index=alloc_space", testdata("heap.json-decode.pb.gz")},
		{testdata("cpu.recursion.pb.gz")},
		{testdata("goroutine.labels.pb.gz")},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			_, flat, cum := topOf(t, args...)
			for format, sums := range map[string]func(*testing.T, string) (flat, cum map[string]int64){"speedscope": speedscopeSums, "firefox": firefoxSums} {
				gotFlat, gotCum := sums(t, succeed(t, append([]string{"flame", "-format", format}, args...)...))
				if len(gotCum) != len(cum) {
					t.Errorf("%s: %d functions of %d", format, len(gotCum), len(cum))
				}
				for name := range cum {
					if gotFlat[name] != flat[name] || gotCum[name] != cum[name] {
						t.Errorf("%s: %s: flat %d, cum %d; want %d, %d", format, name, gotFlat[name], gotCum[name], flat[name], cum[name])
					}
				}
			}
		})
	}
	hone(t, "flame", "-base", oldRun, "-o", t.TempDir()+"/x.speedscope.json", newRun).failsWith(t, exitUsage, "no place for a comparison")
	hone(t, "flame", "-format=chrome", newRun).failsWith(t, exitUsage, `unknown format "chrome": use html, svg, folded, json, speedscope, firefox`)
}

// addStack adds a value to the functions of a stack, leaf last.
func addStack(flat, cum map[string]int64, stack []string, v int64) {
	if len(stack) == 0 {
		return
	}
	flat[stack[len(stack)-1]] += v
	for i, name := range stack {
		if !slices.Contains(stack[:i], name) {
			cum[name] += v
		}
	}
}

// speedscopeSums is of the profile that speedscope shows first.
func speedscopeSums(t *testing.T, text string) (flat, cum map[string]int64) {
	f := decode[struct {
		ActiveProfileIndex int
		Shared             struct{ Frames []struct{ Name string } }
		Profiles           []struct {
			Samples [][]int
			Weights []int64
		}
	}](t, text)
	flat, cum = map[string]int64{}, map[string]int64{}
	p := f.Profiles[f.ActiveProfileIndex]
	for i, sample := range p.Samples {
		var stack []string
		for _, frame := range sample {
			stack = append(stack, f.Shared.Frames[frame].Name)
		}
		addStack(flat, cum, stack, p.Weights[i])
	}
	return flat, cum
}

// firefoxSums is of the thread that the Firefox Profiler selects; its
// milliseconds are nanoseconds of the table.
func firefoxSums(t *testing.T, text string) (flat, cum map[string]int64) {
	f := decode[struct {
		Meta   struct{ InitialSelectedThreads []int }
		Shared struct {
			StackTable struct {
				Frame  []int
				Prefix []*int
			}
			FrameTable  struct{ Func []int }
			FuncTable   struct{ Name []int }
			StringArray []string
		}
		Threads []struct {
			Samples struct {
				WeightType string
				Stack      []*int
				Weight     []float64
			}
		}
	}](t, text)
	flat, cum = map[string]int64{}, map[string]int64{}
	s, samples := &f.Shared, &f.Threads[f.Meta.InitialSelectedThreads[0]].Samples
	factor := map[string]float64{"tracing-ms": 1e6, "bytes": 1, "samples": 1}[samples.WeightType]
	if factor == 0 {
		t.Fatalf("weights are %q", samples.WeightType)
	}
	for i, at := range samples.Stack {
		var stack []string
		for ; at != nil; at = s.StackTable.Prefix[*at] {
			stack = append(stack, s.StringArray[s.FuncTable.Name[s.FrameTable.Func[s.StackTable.Frame[*at]]]])
		}
		slices.Reverse(stack)
		addStack(flat, cum, stack, int64(samples.Weight[i]*factor+0.5))
	}
	return flat, cum
}
