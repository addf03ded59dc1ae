package experiment

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/git/gittest"
	"github.com/hone-go/hone/profile"
)

// goTestOutput is what one process prints, for one benchmark.
func goTestOutput(nsPerOp float64) string {
	return fmt.Sprintf(`goos: linux
goarch: amd64
pkg: example.com/json
cpu: Intel(R) Xeon(R)
Unit steps/op better=lower
BenchmarkParse/n=10-2   	 1000000	 %.1f ns/op	 7 steps/op	 96 B/op	 3 allocs/op
PASS
`, nsPerOp)
}

func records(t *testing.T, output string) []benchfmt.Record {
	t.Helper()
	var records []benchfmt.Record
	in := benchfmt.NewReader(strings.NewReader(output), "process")
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.Result:
			records = append(records, r.Clone())
		default:
			records = append(records, r)
		}
	}
	return records
}

// cpuProfile is a profile of two functions.
func cpuProfile(t *testing.T) []byte {
	t.Helper()
	p, err := profile.ParseFolded(strings.NewReader("main;example.com/json.Parse 30\nmain;example.com/json.skip 10\n"), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writeRun measures, so to say, a comparison of six pairs.
func writeRun(t *testing.T, root string, created time.Time) *Writer {
	t.Helper()
	w, err := Create(root, Info{Created: created, Command: []string{"hone", "bench", "-against", "HEAD~"}, Base: &Revision{Name: "HEAD~"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, slot := range Schedule(rand.New(rand.NewPCG(1, 1)), 6, 0, 0) {
		ns := 500 + float64(i%3)
		if slot.Side == Head {
			ns *= 1.5
		}
		for _, phase := range []Phase{Measure, Repeat, PreCheck} {
			if phase == PreCheck {
				ns = 500 + float64(i%3)
			}
			if err := w.Append(phase, slot.Side, &slot, records(t, goTestOutput(ns))...); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"Parse/n=10-2", "parse/n=10-2"} {
		for _, side := range []Side{Base, Head} {
			if err := w.AddProfile("example.com/json", name, side, "cpu", bytes.NewReader(cpuProfile(t))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

func closeRun(t *testing.T, w *Writer) string {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Dir()
}

// A trace lies beside the profiles, under the name that Go's tools know.
func TestRunTrace(t *testing.T) {
	w := writeRun(t, t.TempDir(), time.Time{})
	for _, side := range []Side{Base, Head} {
		if err := w.AddProfile("example.com/json", "Parse/n=10-2", side, "trace", strings.NewReader(side.String())); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(t.Context(), closeRun(t, w))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Parse/n=10/trace": "head", "base/Parse/n=10/trace": "base"} {
		f, err := r.Profile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		data, err := os.ReadFile(f.Path)
		if string(data) != want || err != nil || filepath.Base(f.Path) != want+".trace.out" {
			t.Errorf("%s: %s with %q, %v", name, f.Path, data, err)
		}
	}
}

func TestRunRoundTrip(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	w := writeRun(t, root, time.Time{})
	if err := w.Note("measured on a train"); err != nil {
		t.Fatal(err)
	}
	r, err := Open(t.Context(), closeRun(t, w))
	if err != nil {
		t.Fatal(err)
	}
	if r.State != Complete || r.Schema != SchemaVersion || r.ID != w.ID() || len(r.Notes) != 1 || len(r.Problems) > 0 || time.Since(r.Created) > time.Hour {
		t.Errorf("opened %+v", r.Info)
	}
	if series := r.Series(Measure); len(series) != 4 {
		t.Fatalf("%d series, want one per unit", len(series))
	}
	opts := DefaultOptions()
	opts.Looks = OneLook(6)
	f, err := r.Compare(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Comparisons {
		want := NoChange
		if c.Unit == "ns/op" {
			want = Worse
		}
		if c.Pairs != 6 || c.Package != "example.com/json" || c.Benchmark != "Parse/n=10-2" || c.Verdict != want {
			t.Errorf("%v: %d pairs, %v, want %v", c.Key, c.Pairs, c.Verdict, want)
		}
		if c.Unit == "ns/op" && (c.Confirmation != Agreed || c.Floor.Pairs != 6) {
			t.Errorf("%v: %v, floor %+v: pre-check or confirming run is lost", c.Key, c.Confirmation, c.Floor)
		}
	}
	if DirectionOf("steps/op", r.Units()) != LowerIsBetter {
		t.Error("unit lines are lost")
	}
	if n := len(r.Profiles()); n != 4 {
		t.Errorf("%d profiles, want 4", n)
	}
	for name, side := range map[string]Side{
		"Parse/n=10-2/cpu": Head, "Parse/n=10/cpu": Head, "base/BenchmarkParse/n=10/cpu": Base,
		"example.com/json.Parse/n=10/cpu": Head, "head/parse/n=10/cpu": Head,
	} {
		p, err := r.Profile(name)
		if err != nil || p.Side != side {
			t.Errorf("profile %s: %+v, %v", name, p, err)
		}
	}
	if _, err := r.Profile("Parse/n=10/heap"); err == nil || !strings.HasSuffix(err.Error(), "has no heap profile of Parse/n=10: there are cpu") {
		t.Errorf("a kind that there is none of: %v", err)
	}
	for _, name := range []string{"Parse", "Parse/n=10/heap", "Other/cpu"} {
		if _, err := r.Profile(name); err == nil {
			t.Errorf("profile %q is found", name)
		}
	}
}

// TestOtherToolsReadRuns: benchstat's reader takes the benchmark files without a
// warning and sees no configuration of ours, and go tool pprof opens profiles.
func TestOtherToolsReadRuns(t *testing.T) {
	r, err := Open(t.Context(), closeRun(t, writeRun(t, t.TempDir(), time.Time{})))
	if err != nil {
		t.Fatal(err)
	}
	files := &benchfmt.Files{Paths: []string{filepath.Join(r.Dir, "base.txt"), filepath.Join(r.Dir, "head.txt")}}
	n := 0
	for files.Scan() {
		switch record := files.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(record)
		case *benchfmt.Result:
			n++
			for _, c := range record.Config {
				if !strings.Contains("goos goarch pkg cpu .file", c.Key) {
					t.Errorf("configuration %s: %s makes benchstat split its tables", c.Key, c.Value)
				}
			}
		}
	}
	if err := files.Err(); err != nil || n != 12 {
		t.Errorf("%d results, %v", n, err)
	}
	for _, p := range r.Profiles() {
		out, err := exec.Command("go", "tool", "pprof", "-top", p.Path).Output()
		if err != nil || !strings.Contains(string(out), "example.com/json.Parse") {
			t.Errorf("go tool pprof %s: %v\n%s", p.Path, err, out)
		}
		if testing.Short() {
			break
		}
	}
}

func TestPartialRun(t *testing.T) {
	root := t.TempDir()
	w := writeRun(t, root, time.Time{}) // never closed: as after kill -9
	entries, err := List(t.Context(), root)
	if err != nil || len(entries) != 1 || entries[0].State != Partial {
		t.Fatalf("listed as %+v, %v", entries, err)
	}
	bench := filepath.Join(w.Dir(), "head.txt")
	text, err := os.ReadFile(bench)
	if err != nil {
		t.Fatal(err)
	}
	// A run may be cut off at any byte.
	for n := range len(text) {
		if err := os.WriteFile(bench, text[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(t.Context(), w.Dir())
		if err != nil {
			t.Fatalf("cut at byte %d: %v", n, err)
		}
		if torn := n > 0 && text[n-1] != '\n'; torn != (len(r.Problems) > 0) {
			t.Fatalf("cut at byte %d: problems %q", n, r.Problems)
		}
	}
	if err := w.Abandon("interrupted"); err != nil {
		t.Fatal(err)
	}
	if r, err := Open(t.Context(), w.Dir()); err != nil || r.State != Partial || len(r.Warnings) != 1 {
		t.Errorf("abandoned: %+v, %v", r, err)
	}
	if err := w.Append(Measure, Head, nil); err == nil {
		t.Error("appended to an abandoned run")
	}
}

func TestCorruptRuns(t *testing.T) {
	const profilePath = "profiles/example.com%2Fjson@Parse%2Fn=10-2/head.cpu.pb.gz"
	replace := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }
	}
	remove := func([]byte) []byte { return nil }
	for _, c := range []struct {
		name, file string
		damage     func([]byte) []byte
		want       string // after the file's name
	}{
		{"no run.json", "run.json", remove, ": not a run"},
		{"run.json cut off", "run.json", func(b []byte) []byte { return b[:40] }, ":3: unexpected end of JSON input"},
		{"run.json no JSON", "run.json", replace(`"state": "complete"`, `"state": complete`), ":5: invalid character 'c'"},
		{"run.json wrong type", "run.json", replace(`"schema": 1`, `"schema": "one"`), ":2: json: cannot unmarshal string"},
		{"no schema", "run.json", replace(`"schema": 1`, `"x": 1`), ":1: has no schema version"},
		{"newer schema", "run.json", replace(`"schema": 1`, `"schema": 9`), ":1: schema version 9 is newer than 1"},
		{"state", "run.json", replace("complete", "perfect"), `:1: unknown state "perfect"`},
		{"outside", "run.json", replace(`"base.txt"`, `"../base.txt"`), `:1: file "../base.txt" is outside the run`},
		{"bench missing", "base.txt", remove, ": file does not exist"},
		{"bench no number", "base.txt", replace(" 7 steps/op", " x steps/op"), ":8: parsing measurement"},
		{"bench cut off", "base.txt", func(b []byte) []byte { return b[:len(b)-30] }, ":"},
		{"bench slot", "base.txt", replace("# slot block=0", "# slot block=x"), ":1: "},
		{"bench edited", "base.txt", replace(" 7 steps/op", " 8 steps/op"), ": content changed after the run was closed"},
		{"bench longer", "base.txt", func(b []byte) []byte { return append(b, "\nx: y\n"...) }, ": offset "},
		{"profile missing", profilePath, remove, ": file does not exist"},
		{"profile cut off", profilePath, func(b []byte) []byte { return b[:20] }, ": offset 20: ends here, of "},
		{"profile flipped", profilePath, func(b []byte) []byte { b[30] ^= 1; return b }, ": content changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := closeRun(t, writeRun(t, t.TempDir(), time.Time{}))
			file := filepath.Join(dir, filepath.FromSlash(c.file))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if damaged := c.damage(text); damaged == nil {
				err = os.Remove(file)
			} else {
				err = os.WriteFile(file, damaged, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = Open(t.Context(), dir)
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) {
				t.Fatalf("error %v, want a CorruptError", err)
			}
			found := false
			for want := range strings.SplitSeq(c.want, "|") {
				found = found || strings.HasPrefix(err.Error(), file+want)
			}
			if !found {
				t.Errorf("error %q\nwant   %q", err, file+c.want)
			}
		})
	}
}

func TestListAndResolve(t *testing.T) {
	root := t.TempDir()
	day := func(d int) time.Time { return time.Date(2026, 11, d, 12, 0, 0, 0, time.UTC) }
	var ids []string
	for d := 1; d <= 3; d++ {
		w := writeRun(t, root, day(d))
		closeRun(t, w)
		ids = append(ids, w.ID())
	}
	partial := writeRun(t, root, day(4)).ID()
	corrupt := "20261105-120000-dead"
	for _, dir := range []string{corrupt, ".hone-tmp-left"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := List(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.ID+" "+string(e.State))
		if (e.State == Corrupt) != (e.Err != nil) {
			t.Errorf("%s: %v, error %v", e.ID, e.State, e.Err)
		}
	}
	want := []string{corrupt + " corrupt", partial + " partial", ids[2] + " complete", ids[1] + " complete", ids[0] + " complete"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("listed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	for name, want := range map[string]string{
		"latest": ids[2], "latest~1": ids[1], "latest~2": ids[0], "20261102": ids[1], partial: partial,
		filepath.Join(root, ids[0]): ids[0],
	} {
		dir, skipped, err := Resolve(t.Context(), root, name)
		if err != nil || filepath.Base(dir) != want {
			t.Errorf("%s is %q, %v; want %s", name, dir, err, want)
		}
		if want := fmt.Sprintf("%s is run %s: the newer %s is partial; give its name to use it", name, want, partial); strings.HasPrefix(name, "latest") != slices.Equal(skipped, []string{want}) {
			t.Errorf("%s: skipped %q, want %q for latest", name, skipped, want)
		}
	}
	run, err := Find(t.Context(), root, "latest", Need{"results", func(*Run) bool { return true }})
	if err != nil || len(run.Skipped) != 2 || !strings.Contains(run.Skipped[1], "the newer "+partial+" is partial") {
		t.Errorf("latest that has results: skipped %q, %v", run.Skipped, err)
	}
	// A partial run may have what is needed, also if it isn't the newest.
	closeRun(t, writeRun(t, root, day(6)))
	if _, err := Find(t.Context(), root, "latest", Need{"profile x", func(*Run) bool { return false }}); err == nil || !strings.Contains(err.Error(), "has profile x; run "+partial+" is partial; give its name to use it") {
		t.Errorf("latest without what is needed: %v", err)
	}
	for name, want := range map[string]string{
		"": "no run named", "latest~4": "only 4 complete runs", "latest~x": "no run", "2026": "6 runs begin with", "1999": "no run",
		filepath.Join(root, ".hone-tmp-left"): "is not a run", "..": "is not a run",
	} {
		if _, _, err := Resolve(t.Context(), root, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", name, err, want)
		}
	}
	if entries, err := List(t.Context(), filepath.Join(root, "nowhere")); err != nil || entries != nil {
		t.Errorf("no root: %v, %v", entries, err)
	}
	if _, _, err := Resolve(t.Context(), filepath.Join(root, "nowhere"), "latest"); err == nil {
		t.Error("latest of nothing is found")
	}
}

// Runs of one second have names in no order; which one is the latest is known.
func TestRunsOfOneSecond(t *testing.T) {
	root := t.TempDir()
	second := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	var ids []string
	for i := range 8 {
		w := writeRun(t, root, second.Add(time.Duration(i*100)*time.Millisecond))
		closeRun(t, w)
		ids = append(ids, w.ID())
	}
	for i, id := range ids {
		name := fmt.Sprintf("latest~%d", len(ids)-1-i)
		if dir, _, err := Resolve(t.Context(), root, name); err != nil || filepath.Base(dir) != id {
			t.Errorf("%s is %q, %v; want %s", name, dir, err, id)
		}
	}
}

func TestCreateFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(file, "runs"), Info{}); err == nil {
		t.Error("created a run below a file")
	}
	w := writeRun(t, t.TempDir(), time.Time{})
	if err := w.AddProfile("", "B", Head, "../cpu", strings.NewReader("")); err == nil {
		t.Error("a kind of profile leads out of the run")
	}
	failing := errorReader{errors.New("connection reset")}
	if err := w.AddProfile("", "B", Head, "mem", failing); !errors.Is(err, failing.error) {
		t.Errorf("error %v, want %v", err, failing.error)
	}
	left, err := filepath.Glob(filepath.Join(w.Dir(), "profiles", "B", "*"))
	if hidden, _ := filepath.Glob(filepath.Join(w.Dir(), "profiles", "B", ".*")); err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("left behind: %q %q", left, hidden)
	}
}

type errorReader struct{ error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.error }

func TestEnvironment(t *testing.T) {
	e := ReadEnvironment("go1.26")
	if e.GOOS != runtime.GOOS || e.Cores < 1 || e.Go != "go1.26" {
		t.Errorf("%+v", e)
	}
	noisy := Environment{Cores: 2, Load: "3.10 2.00 1.00", Governor: "powersave"}
	if w := noisy.Warnings(); len(w) != 1 || !strings.Contains(w[0], "powersave") {
		t.Errorf("warnings %q, want one about the governor", w)
	}
	// hone has just built the benchmarks, and must not warn about its own work.
	if w := (Environment{Cores: 2, Load: "3.10 2.00 1.00", Governor: "performance"}).Warnings(); len(w) != 0 {
		t.Errorf("warnings %q on a quiet machine", w)
	}
	if r := ReadRevision(t.Context(), t.TempDir()); r != (Revision{}) {
		t.Errorf("revision %+v outside of a repository", r)
	}
}

// gunzip keeps the profile helper honest: what is stored is gzip.
func TestProfilesAreGzip(t *testing.T) {
	if _, err := gzip.NewReader(bytes.NewReader(cpuProfile(t))); err != nil {
		t.Error(err)
	}
}

// A revision tells what distinguishes runs for a reader: branch and subject.
func TestRevision(t *testing.T) {
	dir := t.TempDir()
	gittest.Commit(t, dir, map[string]string{"a.go": "package a\n"})
	gittest.Run(t, dir, "commit", "-q", "--allow-empty", "-m", "words: count "+strings.Repeat("x", 300)+"\n\nThe body.")
	gittest.Run(t, dir, "switch", "-q", "-c", "faster")
	r := ReadRevision(t.Context(), dir)
	if r.Branch != "faster" || !strings.HasPrefix(r.Subject, "words: count xxx") || utf8.RuneCountInString(r.Subject) != maxSubject || strings.Contains(r.Subject, "body") {
		t.Errorf("%+v", r)
	}
	gittest.Run(t, dir, "switch", "-q", "--detach")
	if r := ReadRevision(t.Context(), dir); r.Branch != "" || r.Subject == "" {
		t.Errorf("of a commit: %+v", r)
	}
}

// A complete run knows how long it took.
func TestTook(t *testing.T) {
	w, err := Create(t.TempDir(), Info{Created: time.Unix(1, 0)})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Millisecond)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if run, err := Open(t.Context(), w.Dir()); err != nil || run.Took < 0.002 || run.Took > 600 {
		t.Errorf("took %v (%v)", run, err)
	}
}
