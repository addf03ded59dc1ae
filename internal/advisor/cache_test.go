package advisor

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

const perCall = `package slow

import "regexp"

// Valid checks a name.
func Valid(name string) bool {
	return regexp.MustCompile("^[a-z]+$").MatchString(name)
}
`

// slow is a module with a CPU profile.
func slow(t *testing.T) (*Module, []advice.Input) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &Module{Dir: dir, Cache: filepath.Join(t.TempDir(), "cache")}
	m.write(t, "go.mod", "module example.com/slow\n\ngo 1.24\n")
	m.write(t, "slow.go", perCall)
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(name, file string, start, line int64) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, file, start), Line: line})
	}
	b.Sample([]uint32{at("regexp.MustCompile", "/go/src/regexp/regexp.go", 1, 2), at("example.com/slow.Valid", filepath.Join(dir, "slow.go"), 6, 7)}, nil, 100, 1e9)
	p := b.Profile()
	p.TimeNanos = time.Now().Add(time.Hour).UnixNano()
	old := time.Now().Add(-time.Hour)
	if err := errors.Join(os.Chtimes(filepath.Join(dir, "slow.go"), old, old), os.Chtimes(filepath.Join(dir, "go.mod"), old, old), os.Chtimes(dir, old, old)); err != nil {
		t.Fatal(err)
	}
	return m, []advice.Input{{Profile: p, Subject: "Valid", Kind: "cpu"}}
}

func (m *Module) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.Dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// examine returns the report, and whether it was made anew.
func (m *Module) examine(t *testing.T, inputs []advice.Input) (report *advice.Report, made bool) {
	t.Helper()
	o := advice.Options{Stage: func(stage string) { made = made || stage == "loading the module" }}
	report, err := m.Examine(t.Context(), inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	return report, made
}

// A report is made once for the same profiles and sources, and anew if one of them changes or the cache is damaged.
func TestCache(t *testing.T) {
	m, inputs := slow(t)
	first, made := m.examine(t, inputs)
	if !made || len(first.Findings) == 0 || first.Findings[0].Rule != "regexp-per-call" || first.Findings[0].Fix == nil {
		t.Fatalf("made: %v, report %+v", made, first)
	}
	second, made := m.examine(t, inputs)
	if made || !reflect.DeepEqual(first.Findings[0].Fix, second.Findings[0].Fix) || !reflect.DeepEqual(first.Folders, second.Folders) {
		t.Errorf("made: %v, report %+v, want %+v", made, second, first)
	}
	a, errA := json.Marshal(first)
	b, errB := json.Marshal(second)
	if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
		t.Errorf("%v: kept as\n%s\nwant\n%s", err, b, a)
	}
	files, err := filepath.Glob(filepath.Join(m.Cache, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v: files %q", err, files)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, made := m.examine(t, inputs); !made {
		t.Error("a damaged file was used")
	}
	m.write(t, "slow.go", perCall+"\nvar _ = Valid\n")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(m.Dir, "slow.go"), old, old); err != nil {
		t.Fatal(err)
	}
	if report, made := m.examine(t, inputs); !made || report.Findings[0].Fix == nil || !bytes.Contains(report.Findings[0].Fix.Files[0].Before, []byte("var _ = Valid")) {
		t.Errorf("after a change: made %v, report %+v", made, report)
	}
}

// Everything that a report depends on is in the key or in the digest of the sources.
func TestInputsOfCache(t *testing.T) {
	m, inputs := slow(t)
	env := &advice.GoEnv{All: []string{"go1.26"}}
	o := advice.Options{Dir: m.Dir, Env: env}
	key := func() digest {
		t.Helper()
		d, ok := keyOf(inputs, &o)
		if !ok {
			t.Fatal("no key")
		}
		return d
	}
	known := map[digest]string{key(): "nothing"}
	p := inputs[0].Profile
	changes := []struct {
		name         string
		change, undo func()
	}{
		{"a value", func() { p.Values[1][0]++ }, func() { p.Values[1][0]-- }},
		{"a line", func() { p.Lines[1].Line++ }, func() { p.Lines[1].Line-- }},
		{"a name", func() { p.Strings[1] += "x" }, func() { p.Strings[1] = p.Strings[1][:len(p.Strings[1])-1] }},
		{"a frame", func() { p.Frames[0]++ }, func() { p.Frames[0]-- }},
		{"a function", func() { p.Functions[0].StartLine++ }, func() { p.Functions[0].StartLine-- }},
		{"the time", func() { p.TimeNanos++ }, func() { p.TimeNanos-- }},
		{"the subject", func() { inputs[0].Subject += "x" }, func() { inputs[0].Subject = "Valid" }},
		{"the time of an operation", func() { inputs[0].OpTime++ }, func() { inputs[0].OpTime-- }},
		{"an option", func() { o.MinShare = 0.5 }, func() { o.MinShare = 0 }},
		{"the package", func() { o.Only = m.Dir }, func() { o.Only = "" }},
		{"a flag", func() { o.BuildFlags = []string{"-tags=x"} }, func() { o.BuildFlags = nil }},
		{"Go", func() { env.All[0] = "go1.27" }, func() { env.All[0] = "go1.26" }},
	}
	for _, c := range changes {
		c.change()
		d := key()
		if other, ok := known[d]; ok {
			t.Errorf("a change of %s has the key of a change of %s", c.name, other)
		}
		known[d] = c.name
		c.undo()
	}
	if known[key()] != "nothing" {
		t.Error("the key isn't the first one again")
	}
	o.BuildFlags = []string{"-modfile=other.mod"}
	if _, ok := keyOf(inputs, &o); ok {
		t.Error("a file elsewhere isn't in the key")
	}

	sources := func() digest {
		t.Helper()
		d, _, err := sourcesOf(t.Context(), []string{m.Dir}, env, inputs)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	before := sources()
	for _, name := range []string{".hone/x.go", "data.bin", "sub/y.go"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(m.Dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		m.write(t, name, "package y\n")
		now := sources()
		if changed := now != before; changed != (name != ".hone/x.go") {
			t.Errorf("%s: changed %v", name, changed)
		}
		before = now
	}
	m.write(t, "data.bin", "other")
	if sources() != before {
		t.Error("the text of a file that isn't Go counts")
	}
	later := time.Now().Add(24 * time.Hour)
	if err := os.Chtimes(filepath.Join(m.Dir, "sub/y.go"), later, later); err != nil {
		t.Fatal(err)
	}
	if sources() == before {
		t.Error("a file that became newer than the profile is the same")
	}
}

// What the compiler said is kept when the profile changes. Several may write at once.
func TestKeptPackages(t *testing.T) {
	m, inputs := slow(t)
	compiled := func() (did bool) {
		t.Helper()
		inputs[0].Profile.Values[1][0]++
		o := advice.Options{Compiler: true, Stage: func(s string) { did = did || strings.HasPrefix(s, "compiling") }}
		if r, err := m.Examine(t.Context(), inputs, o); err != nil || len(r.Findings) == 0 {
			t.Fatalf("%v: %+v", err, r)
		}
		return did
	}
	if !compiled() {
		t.Error("the first time, nothing was compiled")
	}
	if compiled() {
		t.Error("compiled again for another profile")
	}
	m.Cache = ""
	if !compiled() {
		t.Error("without a cache, nothing was compiled")
	}

	dir := packages(filepath.Join(t.TempDir(), "compiler"))
	var all sync.WaitGroup
	for i := range 8 {
		text := bytes.Repeat([]byte{byte('a' + i)}, 1<<16)
		all.Go(func() {
			for range 20 {
				dir.Write("key", text)
				if got := dir.Read(t.Context(), "key"); len(got) != len(text) || bytes.Count(got, got[:1]) != len(text) {
					t.Errorf("read %d bytes of several texts", len(got))
				}
			}
		})
	}
	all.Wait()
	dir.Write("large", make([]byte, maxPackage+1))
	if dir.Read(t.Context(), "large") != nil {
		t.Error("a text that is too large was kept")
	}
}

// Only so many reports are kept, those that were used last.
func TestRemoveOldest(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"b.json", "a.json", "c.json", "other"} {
		file := filepath.Join(dir, name)
		at := time.Unix(1e9+int64(i), 0)
		if err := errors.Join(os.WriteFile(file, nil, 0o666), os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	removeOldest(dir, 2)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 3 || filepath.Base(left[0]) != "a.json" || filepath.Base(left[1]) != "c.json" {
		t.Errorf("%v: left are %q", err, left)
	}
}
