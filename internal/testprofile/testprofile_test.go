package testprofile

import (
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/git/gittest"
	"github.com/hone-go/hone/profile"
)

// TestProfile profiles real tests: of a package whose tests can be repeated, and of one whose tests can't. A
// package whose tests fail is named.
func TestProfile(t *testing.T) {
	dir := gittest.Folder(t, map[string]string{
		"go.mod":     "module example.com/tested\n\ngo 1.24\n",
		"none/a.go":  "package none\n",
		"again/a.go": "package again\n\nfunc Join(words []string) (s string) {\n\tfor _, w := range words {\n\t\ts += w\n\t}\n\treturn s\n}\n",
		"again/a_test.go": `package again

import "testing"

func TestJoin(t *testing.T) {
	if !testing.Short() {
		t.Fatal("not -short")
	}
	if s := Join(make([]string, 10)); s != "" {
		t.Errorf("got %q", s)
	}
	if s := Join([]string{string(make([]byte, 1<<20)), string(make([]byte, 1<<20))}); len(s) != 2<<20 {
		t.Errorf("got %d bytes", len(s))
	}
}
`,
		"once/a_test.go": `package once

import "testing"

var ran bool

func TestOnce(t *testing.T) {
	if ran {
		t.Fatal("it ran before")
	}
	ran = true
}
`,
		"failing/a_test.go": `package failing

import "testing"

func TestFailing(t *testing.T) { t.Fatal("always") }
`,
		"broken/a_test.go": "package broken\n\nvar x int = \"\"\n",
	})
	p := Profiler{Dir: dir, Packages: []string{"./..."}, Time: 100 * time.Millisecond}
	profiles, err := p.Profile(t.Context())
	if err == nil || !strings.Contains(err.Error(), "example.com/tested/failing: they fail: --- FAIL: TestFailing") || !strings.Contains(err.Error(), "example.com/tested/broken: they don't build") || strings.Contains(err.Error(), "once") {
		t.Errorf("%v", err)
	}
	if len(profiles) != 2 || profiles[0].Package != "example.com/tested/again" || profiles[1].Package != "example.com/tested/once" {
		t.Fatalf("profiles %+v", profiles)
	}
	if m := profiles[0].Mem; !has(m, "example.com/tested/again.Join") {
		t.Error("the memory profile lacks what the tests allocate")
	}
	for _, p := range profiles {
		if p.CPU == nil || p.CPU.DurationNanos == 0 {
			t.Errorf("%s has no CPU profile", p.Package)
		}
	}
	p.Packages = []string{"./none"}
	if _, err := p.Profile(t.Context()); err == nil || !strings.Contains(err.Error(), "./none has no tests") {
		t.Errorf("no tests: %v", err)
	}
}

func has(p *profile.Profile, function string) bool {
	for i := range p.Functions {
		if p.FunctionName(uint32(i)) == function {
			return true
		}
	}
	return false
}
