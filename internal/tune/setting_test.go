package tune

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/experiment"
)

// collected has two benchmarks: one of which nearly all the time is marking what is
// alive, again and again for garbage, and one without garbage.
var collected = map[string]string{"go.mod": goMod, "m.go": "package m\n", "m_test.go": `package m

import "testing"

type node struct{ next *node }

var (
	live []*node
	sink []byte
)

func grow() {
	for len(live) < 1_000_000 {
		live = append(live, new(node))
	}
}

func BenchmarkBound(b *testing.B) {
	grow()
	for range b.N {
		sink = make([]byte, 1<<10)
	}
}

func BenchmarkFree(b *testing.B) {
	n := uint(1)
	for range b.N {
		for range 1000 {
			n = n*1664525 + 1013904223
		}
	}
	if n == 0 {
		b.Fatal("no number")
	}
}
`}

func settingTuner(t *testing.T, dir string, iterations int) *Tuner {
	u := tuner(t, dir)
	u.Bench.Benchtime.Iterations, u.Bench.Count = iterations, 8
	return u
}

// TestTrySettings: a benchmark that is bound by the collector gets faster where that runs
// less, for memory; one that isn't does not.
func TestTrySettings(t *testing.T) {
	dir := module(t, collected)
	f := &advice.Finding{ID: "gc-bound-123456", Rule: "gc-bound", Try: advice.BySetting}
	bound := []bench.ID{{Package: "example.com/m", Benchmark: "Bound"}}
	var r *Result
	for range 3 { // what a measurement can't tell is asked again
		var err error
		if r, err = settingTuner(t, dir, 200_000).TrySettings(t.Context(), f, bound, []string{"GOGC=400"}); err != nil {
			t.Fatal(err)
		}
		if r.State == advice.Confirmed {
			break
		}
	}
	if r.State == advice.Inconclusive {
		t.Skip("the machine is too busy to tell")
	}
	s := r.Settings[0]
	lines := strings.Join(s.Lines(), "\n")
	if r.State != advice.Confirmed || r.Kept || s.State != advice.Confirmed || s.Run == "" || len(s.Lines()) != 1 || !strings.HasPrefix(lines, "Bound") || !strings.Contains(lines, " −") {
		t.Errorf("%+v\n%s", r, lines)
	}
	if runtime.GOOS == "windows" {
		return // it doesn't tell what memory a process had
	}
	if !strings.Contains(lines, " MB peak (") || !strings.Contains(lines, ", +") {
		t.Errorf("more memory is told by %q", lines)
	}
	if testing.Short() {
		return
	}
	free := []bench.ID{{Package: "example.com/m", Benchmark: "Free"}}
	if r, err := settingTuner(t, dir, 2000).TrySettings(t.Context(), f, free, nil); err != nil {
		t.Error(err)
	} else if r.State == advice.Confirmed || len(r.Settings) != 3 || r.Settings[2].State != "" || !strings.Contains(r.Settings[2].Why, "with so little memory") {
		t.Errorf("without garbage: %+v", r)
	}
}

func TestTrySettingsRefuses(t *testing.T) {
	dir := module(t, collected)
	f := &advice.Finding{ID: "gc-bound-123456", Try: advice.BySetting}
	if _, err := tuner(t, dir).TrySettings(t.Context(), f, nil, nil); err == nil || !strings.Contains(err.Error(), "hone advise ./...") {
		t.Errorf("no benchmark: %v", err)
	}
	t.Setenv("GOGC", "300")
	r, err := tuner(t, dir).TrySettings(t.Context(), f, []bench.ID{{Package: "example.com/m"}}, []string{"GOGC=300"})
	if err != nil || len(r.Settings) != 1 || r.Settings[0].State != "" || !strings.Contains(r.Settings[0].Why, "already") || r.State == advice.Confirmed {
		t.Errorf("as it is: %v, %+v", err, r)
	}
	if got := unset("GOGC=off GOMEMLIMIT=1GiB"); strings.Join(got, " ") != "GOGC=300 GOMEMLIMIT=off" {
		t.Errorf("without: %v", got)
	}
}

func TestCheckSetting(t *testing.T) {
	for setting, want := range map[string]bool{
		"GOGC=200": true, "GOGC=off": true, "GOGC=off GOMEMLIMIT=512MiB": true, "GOMEMLIMIT=1000000": true,
		"": false, "GOGC": false, "GOGC=": false, "GOGC=-1": false, "GOGC=2x": false, "GOMEMLIMIT=512MB": false, "PATH=x": false,
	} {
		if err := CheckSetting(setting); (err == nil) != want {
			t.Errorf("%q: %v", setting, err)
		}
	}
}

// TestLimitSetting: which limit is tried, and of what.
func TestLimitSetting(t *testing.T) {
	trial := func(peaks ...float64) []SettingTrial {
		s := SettingTrial{Setting: "GOGC=200"}
		for i, p := range peaks {
			s.Changes = append(s.Changes, Change{Package: "p", Benchmark: string(rune('A' + i)), Unit: experiment.PeakRSS, Before: p, After: p})
		}
		return []SettingTrial{s, s}
	}
	for _, c := range []struct {
		trials       []SettingTrial
		setting, why string
		benchmarks   int
	}{
		{trial(20e6, 100<<20, 200<<20), "GOGC=off GOMEMLIMIT=400MiB", "", 2},
		{trial(20e6, 9e6), "GOGC=off GOMEMLIMIT=…", "at most 20 MB", 0},
		{trial(), "GOGC=off GOMEMLIMIT=…", "is unknown here", 0},
	} {
		s, large := limitSetting(c.trials)
		if s.Setting != c.setting || !strings.Contains(s.Why, c.why) || len(large) != c.benchmarks {
			t.Errorf("%+v, %v", s, large)
		}
	}
}

// TestSettingLines: verdicts of settings and how they are told.
func TestSettingLines(t *testing.T) {
	s := SettingTrial{Setting: "GOGC=200", State: advice.Confirmed, Changes: []Change{
		{Package: "p", Benchmark: "A-2", Unit: "ns/op", Before: 100, After: 89, Ratio: 0.89, Low: 0.87, High: 0.91},
		{Package: "p", Benchmark: "A-2", Unit: experiment.PeakRSS, Before: 96e6, After: 276e6},
		{Package: "p", Benchmark: "B-2", Unit: "ns/op", Before: 0, After: 1},
		{Package: "p", Benchmark: "B-2", Unit: experiment.PeakRSS, Before: 9.2e6, After: 9.1e6},
		{Package: "p", Benchmark: "C-2", Unit: "ns/op", Before: 100, After: 100, Ratio: 1, Low: 0.99, High: 1.01},
	}}
	want := "A-2 −11.0 % [−13.0, −9.0], +180 MB peak (96 → 276 MB)\nB-2 0 → 1 ns/op, −0.1 MB peak (9.2 → 9.1 MB)\nC-2 +0.0 % [−1.0, +1.0]"
	if got := strings.Join(s.Lines(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r := &Result{Settings: []SettingTrial{{Setting: "GOGC=400", State: advice.Inconclusive}, s}}
	if state, why := sumSettings(r.Settings); state != advice.Confirmed || !strings.HasPrefix(why, "GOGC=200: A-2 −11.0 %") {
		t.Errorf("%s: %s", state, why)
	}
	r.Settings = r.Settings[:1]
	if state, why := sumSettings(r.Settings); state != advice.Inconclusive {
		t.Errorf("%s: %s", state, why)
	}
	store := Store{Dir: filepath.Join(t.TempDir(), "advice")}
	if err := store.Record(r, &advice.Finding{ID: "gc-bound-1"}); err != nil {
		t.Fatal(err)
	}
	if history, _, err := store.History(); err != nil || len(history) != 1 || len(history[0].Settings) != 1 || history[0].Patch != "" {
		t.Errorf("%v, %+v", err, history)
	}
}
