package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/git/gittest"
)

const slowGo = `package m

// Join copies its result for each part.
func Join(parts []string) string {
	s := ""
	for _, p := range parts {
		s += p
	}
	return s
}

func Other(n int) int {
	return n
}
`

const builderGo = `package m

import "strings"

// Join copies its result for each part.
func Join(parts []string) string {
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p)
	}
	return s.String()
}

func Other(n int) int {
	return n
}
`

const joinTest = `package m

import "testing"

var parts = []string{"a quite long part", "another part", "and one more of them"}

func TestJoin(t *testing.T) {
	if got := Join(parts[:2]); got != parts[0]+parts[1] {
		t.Error(got)
	}
	if Other(1) != 1 {
		t.Error(1)
	}
}

func BenchmarkJoin(b *testing.B) {
	for b.Loop() {
		Join(parts)
	}
}

func BenchmarkOther(b *testing.B) {
	for b.Loop() {
		Other(1)
	}
}
`

func joining() map[string]string {
	return map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": slowGo, "m_test.go": joinTest}
}

// prover measures so little that it shows only what is exact: allocations.
func prover(t *testing.T, dir string) *Prover {
	b := bench.Bench{Count: 2, Benchtime: bench.Length{Iterations: 20}, PreCheck: -1, Wait: -1, Layouts: bench.NoLayouts, Store: filepath.Join(t.TempDir(), "runs")}
	return &Prover{Dir: dir, Bench: b, Stdin: strings.NewReader("")}
}

// TestProve judges two candidates and the working tree of a real module, and leaves nothing behind.
func TestProve(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	top, dir := repository(t, "", joining())
	patches := t.TempDir()
	gittest.Write(t, patches, map[string]string{
		"builder.patch": string(diffOf(t, top, map[string]string{"m.go": builderGo})),
		"join.patch":    string(diffOf(t, top, map[string]string{"m.go": strings.NewReplacer("var s strings.Builder\n	for _, p := range parts {\n		s.WriteString(p)\n	}\n	return s.String()", `return strings.Join(parts, "")`).Replace(builderGo)})),
		"wrong.patch":   string(diffOf(t, top, map[string]string{"m.go": strings.Replace(slowGo, `s := ""`, `s := "-"`, 1)})),
	})
	var stages []string
	p := prover(t, dir)
	p.Stage = func(stage, what string) { stages = append(stages, stage) }
	proof, err := p.Prove(t.Context(), []string{filepath.Join(patches, "builder.patch"), filepath.Join(patches, "wrong.patch"), filepath.Join(patches, "join.patch")})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []State{Right, Wrong, Right} {
		if got := proof.Candidates[i].State; got != want {
			t.Errorf("%s is %s, want %s: %s", proof.Candidates[i].Name, got, want, proof.Candidates[i].Why)
		}
	}
	builder := proof.Candidates[0]
	if got := builder.Benchmarks["example.com/m"]; !slices.Equal(got, []string{"BenchmarkJoin"}) {
		t.Errorf("measured %v", builder.Benchmarks)
	}
	if wrong := proof.Candidates[1]; wrong.Speed != NotMeasured || !strings.Contains(wrong.Output, "TestJoin") {
		t.Errorf("wrong.patch: %s\n%s", wrong.Speed, wrong.Output)
	}
	if len(proof.Between) != 1 || proof.Between[0].First != "builder.patch" || proof.Between[0].Second != "join.patch" || proof.Between[0].Allocations != "fewer" {
		t.Errorf("between: %+v", proof.Between)
	}
	if join := proof.Candidates[2]; join.Allocations != "fewer" || join.Regression || join.Run == "" {
		t.Errorf("join.patch: %+v", join.Measurement)
	}
	for _, stage := range []string{"build", "vet", "test", "coverage", "choose benchmarks"} {
		if !slices.Contains(stages, stage) {
			t.Errorf("no stage %q in %q", stage, stages)
		}
	}
	var text bytes.Buffer
	if err := proof.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"right, ", "builder.patch\n", "wrong, not measured  wrong.patch\n    tests fail, and pass on the base: TestJoin\n", "compared with builder.patch\n", "execute 3 of 3 changed statements", ": hone compare ", "Base: HEAD ("} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text doesn't say %q:\n%s", want, text.String())
		}
	}
	if _, err := json.Marshal(proof); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("files remain: %v %v", left, err)
	}
	if status := gittest.Run(t, top, "status", "--porcelain"); status != "" {
		t.Errorf("the working tree changed: %s", status)
	}
}

// TestNoBenchmark checks what is said of a change that no benchmark executes, and of one that changes no code.
func TestNoBenchmark(t *testing.T) {
	files := joining()
	files["m_test.go"] = strings.ReplaceAll(joinTest, "Other(1)\n	}", "_ = 1\n	}")
	top, dir := repository(t, "", files)
	for name, c := range map[string]struct{ text, want string }{
		"not executed": {strings.Replace(slowGo, "return n", "return n + 0", 1), "no benchmark executes what it changes; -gen writes one from tests, hone bench -new Other a skeleton"},
		"same code":    {strings.Replace(slowGo, "s += p", "s = s + p", 1), "the compiler makes the same machine code"},
	} {
		gittest.Write(t, top, map[string]string{"m.go": c.text})
		proof, err := prover(t, dir).Prove(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := proof.Candidates[0]
		if got.Name != WorkingTree || got.State != Right || !strings.HasPrefix(got.How, c.want) {
			t.Errorf("%s: %s %s: %s", name, got.Name, got.State, got.How)
		}
	}
}

// TestCancel checks that nothing is left of what is interrupted while tests run and while it is measured.
func TestCancel(t *testing.T) {
	_, dir := repository(t, "", joining())
	gittest.Write(t, dir, map[string]string{"m.go": builderGo})
	for _, at := range []string{"test", "calibrate"} {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		ctx, cancel := context.WithCancel(t.Context())
		p := prover(t, dir)
		stop := func(stage string) {
			if stage == at {
				cancel()
			}
		}
		p.Stage = func(stage, what string) { stop(stage) }
		p.Bench.Events = func(e bench.Event) { stop(e.Stage) }
		proof, err := p.Prove(ctx, nil)
		if !errors.Is(err, context.Canceled) || proof != nil {
			t.Errorf("interrupted at %s: %v, %v", at, proof, err)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("interrupted at %s: files remain: %v %v", at, left, err)
		}
	}
}

// TestWritten: a change that no benchmark executes is measured with one written from the base's tests, not from those of the patch.
func TestWritten(t *testing.T) {
	files := joining()
	files["m.go"] = strings.NewReplacer("func Join", "func join").Replace(slowGo) + "\nfunc List(parts ...string) string {\n\treturn join(parts)\n}\n"
	files["m_test.go"] = "package m\n\nimport \"testing\"\n\nfunc TestList(t *testing.T) {\n\tif List(\"a quite long part\", \"another\", \"more\") == \"\" {\n\t\tt.Error()\n\t}\n}\n"
	top, dir := repository(t, "below", files)
	better := "package m\n\nimport \"strings\"\n\nfunc join(parts []string) string {\n\treturn strings.Join(parts, \"\")\n}\n\nfunc List(parts ...string) string {\n\treturn join(parts)\n}\n"
	patches := t.TempDir()
	gittest.Write(t, patches, map[string]string{
		"join.patch": string(diffOf(t, top, map[string]string{
			"below/m.go": better, "below/m_test.go": strings.Replace(files["m_test.go"], `"a quite long part", "another", "more"`, `"a"`, 1)})),
		"own.patch": string(diffOf(t, top, map[string]string{
			"below/m.go": better, "below/own_test.go": "package m\n\nimport \"testing\"\n\nfunc BenchmarkList(b *testing.B) {\n\tfor b.Loop() {\n\t\tList(\"x\", \"y\")\n\t}\n}\n"})),
	})
	p := prover(t, dir)
	p.Generate = true
	proof, err := p.Prove(t.Context(), []string{filepath.Join(patches, "join.patch"), filepath.Join(patches, "own.patch")})
	if err != nil {
		t.Fatal(err)
	}
	got, own := proof.Candidates[0], proof.Candidates[1]
	if got.Allocations != "fewer" || len(got.Failures) > 0 || len(got.Written) != 1 || !slices.Equal(got.Written[0].Benchmarks, []string{"BenchmarkList"}) {
		t.Fatalf("%+v\n%+v", got, got.Measurement)
	}
	if patch := got.Written[0].Patch; !strings.Contains(patch, "+++ b/below/generated_bench_test.go") || !strings.Contains(patch, `"a quite long part"`) {
		t.Errorf("the patch:\n%s", patch)
	}
	if len(own.Written) > 0 || len(own.Failures) > 0 || own.Run == "" || len(proof.Between) != 1 {
		t.Errorf("a candidate with a benchmark: %+v\n%+v\n%+v", own, own.Measurement, proof.Between)
	}
	gittest.Run(t, top, "apply", filepath.Join(patches, "join.patch"))
	written := filepath.Join(t.TempDir(), "written.patch")
	if err := os.WriteFile(written, []byte(got.Written[0].Patch), 0o600); err != nil {
		t.Fatal(err)
	}
	gittest.Run(t, top, "apply", "--check", written)
}

// TestNotWritten checks what is said where tests give no benchmark, or none that executes the change.
func TestNotWritten(t *testing.T) {
	files := joining()
	files["m.go"] += "\nfunc apart(n int) int {\n\treturn n\n}\n"
	files["m_test.go"] = strings.Split(joinTest, "func BenchmarkOther")[0] + "func TestApart(t *testing.T) {\n\tapart(1)\n}\n"
	top, dir := repository(t, "", files)
	gittest.Write(t, top, map[string]string{"m.go": files["m.go"][:len(files["m.go"])-len("return n\n}\n")] + "return n + 0*n\n}\n"})
	p := prover(t, dir)
	p.Generate = true
	proof, err := p.Prove(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := proof.Candidates[0]; got.Speed != NotMeasured || !strings.Contains(got.How, "tests call no exported function that does") || len(got.Written) > 0 {
		t.Errorf("%s: %s", got.Speed, got.How)
	}
}
