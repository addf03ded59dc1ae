package pgo

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// real returns a profile of the test data.
func real(t *testing.T, name string) *profile.Profile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func encode(t *testing.T, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// compilers returns what the compiler reads out of a profile: calls and weights.
func compilers(t *testing.T, data []byte) string {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in.pgo")
	if err := os.WriteFile(in, data, 0o666); err != nil {
		t.Fatal(err)
	}
	out := in + ".txt"
	if text, err := exec.Command("go", "tool", "preprofile", "-i", in, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("go tool preprofile: %v\n%s", err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTrim compares what the compiler reads out of real profiles before and after
// they are trimmed.
func TestTrim(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cpu.*.pb.gz")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d profiles, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		switch name {
		case "cpu.empty.pb.gz", "cpu.diff.pb.gz", "cpu.cgo-unsymbolized.pb.gz", "cpu.cgo.pb.gz", "cpu.merged.pb.gz":
			continue // no samples, negative ones, or code without names
		}
		t.Run(name, func(t *testing.T) {
			p := real(t, name)
			merged, err := Merge([]Input{{Profile: p, Source: "x"}}, Equal)
			if err != nil {
				t.Fatal(err)
			}
			data := encode(t, merged)
			whole := encode(t, p)
			got, want := edges(compilers(t, data)), edges(compilers(t, whole))
			for e, w := range want {
				if got[e] != w && !recursive(e) {
					t.Errorf("%s: weight %s, in the whole profile %s", e, got[e], w)
				}
			}
			for e := range got {
				if want[e] == "" && !recursive(e) {
					t.Errorf("%s: not in the whole profile", e)
				}
			}
			if len(data) > len(whole) {
				t.Errorf("%d bytes, of %d", len(data), len(whole))
			}
			if len(merged.Mappings) > 0 || merged.LabelSets != nil || len(merged.SampleTypes) != 2 {
				t.Errorf("left: %d mappings, %d sets of labels, %v", len(merged.Mappings), len(merged.LabelSets), merged.SampleTypes)
			}
		})
	}
}

// edges reads what go tool preprofile writes.
func edges(text string) map[string]string {
	all := make(map[string]string)
	lines := strings.Split(text, "\n")
	for i := 1; i+2 < len(lines); i += 3 {
		offset, weight, _ := strings.Cut(lines[i+2], " ")
		all[lines[i]+" +"+offset+" "+lines[i+1]] = weight
	}
	return all
}

// recursive calls on one line are not told apart without addresses. The compiler does
// not inline them.
func recursive(e string) bool {
	f := strings.Split(e, " ")
	return f[0] == f[2]
}

func TestEqualWeights(t *testing.T) {
	// Two services; one is on many machines, and has two versions.
	inputs := []Input{
		{small("main.a", 3), "api", "v1"}, {small("main.b", 1000), "api", "v2"}, {small("main.b", 500), "api", "v2"}, {small("main.c", 7), "web", ""},
	}
	p, err := Merge(inputs, Equal)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := weights(p), "main.c 3000 main.a 1500 main.b 1500"; got != want {
		t.Errorf("equal weights: %s, want %s", got, want)
	}
	s := Summarize(p, 1)
	sources, versions := s.Names()
	if fmt.Sprint(sources, versions) != "[web api] [v1 v2]" || s.Parts[0].Samples != 7 || s.Parts[0].Weight != 0.5 || s.Samples != 6000 {
		t.Errorf("%+v", s)
	}
	if p, err = Merge(inputs, CPU); err != nil {
		t.Fatal(err)
	}
	if got, want := weights(p), "main.b 1500 main.c 7 main.a 3"; got != want {
		t.Errorf("as sampled: %s, want %s", got, want)
	}
	slices.Reverse(inputs)
	again, err := Merge(inputs, CPU)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, p), encode(t, again)) {
		t.Error("in another order, other bytes")
	}
}

// small is a profile of n samples of a function that main.main calls.
func small(leaf string, n int64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(name string, start, line int64) uint32 {
		return b.Location(0x1000+uint64(line), 0, profile.Line{Function: b.Function(name, name, "/build/"+name+".go", start), Line: line})
	}
	for i := range n {
		labels := []profile.Label{{Key: b.String("request"), Numeric: true, Num: i}}
		b.Sample([]uint32{at(leaf, 10, 11+i%5), at("main.main", 3, 5), at("runtime.main", 1, 9)}, labels, 1, 10_000_000)
	}
	return b.Profile()
}

// weights lists leaves and their samples.
func weights(p *profile.Profile) string {
	var all []string
	for s := range p.Stacks {
		line := p.LocationLines(p.Stack(s)[0])[0]
		all = append(all, fmt.Sprint(p.FunctionName(line.Function), " ", p.Values[0][s]))
	}
	return strings.Join(all, " ")
}

// Versions of a function that begin on different lines are one.
func TestMoved(t *testing.T) {
	old, moved := small("main.f", 3), small("main.f", 2)
	moved.TimeNanos = 1
	for i := range moved.Functions {
		moved.Functions[i].StartLine += 100
	}
	for i := range moved.Lines {
		moved.Lines[i].Line += 100
	}
	p, err := Merge([]Input{{old, "a", ""}, {moved, "a", ""}}, Equal)
	if err != nil {
		t.Fatal(err)
	}
	if got := weights(p); got != "main.f 5" {
		t.Errorf("%s", got)
	}
	if caller := p.LocationLines(p.Stack(0)[1])[0]; caller.Line != 105 {
		t.Errorf("main.main calls on line %d, the newest has it on 105", caller.Line)
	}
}

func TestMergeErrors(t *testing.T) {
	noStarts := small("main.f", 1)
	for i := range noStarts.Functions {
		noStarts.Functions[i].StartLine = 0
	}
	noNames := small("main.f", 1)
	for i := range noNames.Functions {
		noNames.Functions[i].Name = 0
	}
	for _, c := range []struct {
		what string
		p    *profile.Profile
		want error
	}{
		{"heap", real(t, "heap.gc.pb.gz"), ErrNoCPU},
		{"idle", real(t, "cpu.empty.pb.gz"), ErrNoCPU},
		{"no names", noNames, ErrNoNames},
		{"no lines", noStarts, ErrNoStarts},
	} {
		if _, err := Merge([]Input{{Profile: c.p, Source: "x.pb.gz"}}, Equal); !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "x.pb.gz: ") {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	if _, err := Merge(nil, Equal); err == nil {
		t.Error("nothing merged without an error")
	}
}

func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "default.pgo")
	if p, s, err := Read(file); p != nil || s != nil || err != nil {
		t.Fatalf("no file: %v %v %v", p, s, err)
	}
	p, err := Merge([]Input{{small("main.f", 3), "api", "v 1\n\"x\""}}, Equal)
	if err != nil {
		t.Fatal(err)
	}
	s, changed, err := Write(file, p)
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	if _, changed, err := Write(file, p); err != nil || changed {
		t.Errorf("again: changed %v, %v", changed, err)
	}
	_, read, err := Read(file)
	if err != nil || fmt.Sprint(*read) != fmt.Sprint(*s) || read.Parts[0].Version != "v 1\n\"x\"" {
		t.Errorf("%+v, written %+v, %v", read, s, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := os.WriteFile(file, []byte("no profile"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(file); err == nil {
		t.Error("what is no profile is read")
	}
}
