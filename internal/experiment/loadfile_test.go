package experiment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func after(d time.Duration) *time.Duration { return &d }

func someLoad() *Load {
	return &Load{Package: "load/http", Benchmark: "GET/x", Sides: []LoadSide{{
		Side: "head", Started: time.Date(2026, 11, 21, 17, 0, 0, 0, time.UTC), Elapsed: 2 * time.Second, Asked: 10, Period: 2 * time.Second, Rate: new(9.0), Succeeded: 18, Failed: 2,
		Periods: []LoadPeriod{{Start: 0, End: 2 * time.Second}},
		Windows: []LoadWindow{
			{Start: 0, End: time.Second, Asked: 10, Succeeded: 9, Failed: 1, P50: after(3), P99: nil, Max: after(5)},
			{Start: time.Second, End: 2 * time.Second, Asked: 10, Succeeded: 9, Failed: 1, P50: after(4), P99: after(6), Max: after(6)},
		},
		Response: LoadTimes{P50: after(3), Curve: []LoadPoint{{0, 1}, {.5, 3}, {.9, 6}}},
		Service:  LoadTimes{Curve: []LoadPoint{}},
		Failures: []LoadFailure{{"status 503", 2, []string{"503 Service Unavailable"}}},
		Goals:    []LoadGoal{{"p99<=1s", false}},
		Rounds:   []LoadRound{{0, time.Second, 9, 1, new(9.0)}, {time.Second, 2 * time.Second, 9, 1, new(9.0)}},

		Deliveries: []LoadDelivery{{Arrived: 18, Lost: 1, Doubled: 2, Unconfirmed: 3, Time: LoadTimes{P50: after(7), Curve: []LoadPoint{}}}},
	}}}
}

func TestLoadFile(t *testing.T) {
	w, err := Create(t.TempDir(), Info{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(t.Context(), w.Dir())
	if err != nil || r.HasLoad() {
		t.Fatalf("%v, has a load: %v", err, r.HasLoad())
	}
	if _, err := r.Load(); !errors.Is(err, ErrNoLoad) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a load: %v", err)
	}
	for range 2 { // the second replaces the first
		if err := w.SetLoad(someLoad()); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := r.Load(); err != nil || !reflect.DeepEqual(l, someLoad()) { // of a partial run
		t.Errorf("%v\n%+v", err, l)
	}
	if r, err = Open(t.Context(), closeRun(t, w)); err != nil || !r.HasLoad() {
		t.Fatal(err)
	}
	if _, listed := r.Files["load.json"]; !listed {
		t.Error("load.json has no sum")
	}
	if err := w.SetLoad(someLoad()); err == nil {
		t.Error("a closed run was changed")
	}
	if err := os.Truncate(filepath.Join(r.Dir, "load.json"), 10); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), r.Dir); err == nil || !strings.Contains(err.Error(), "load.json: offset 10: ends here") {
		t.Errorf("cut off: %v", err)
	}
}

func TestDamagedLoads(t *testing.T) {
	w, err := Create(t.TempDir(), Info{})
	if err == nil {
		err = w.SetLoad(someLoad())
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(w.Dir(), "load.json")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"sides":[`, "\n\"sides\":x[", "load.json:2: invalid character 'x'"},
		{`"failed":2`, `"failed":"two"`, "load.json:1: json: cannot unmarshal string"},
		{`"failed":2`, `"failed":-2`, "load.json: head: negative number"},
		{`"side":"head"`, `"side":"tail"`, `load.json: unknown side "tail"`},
		{`"start":1000000000`, `"start":1`, "load.json: head: window 1 does not follow"},
		{`"rate":9},{"start":1000000000`, `"rate":9},{"start":1`, "load.json: head: round 1 does not follow"},
		{`"lost":1`, `"lost":-1`, "load.json: head: delivery 0 has negative numbers"},
		{`"q":0.9`, `"q":1.9`, "load.json: head: point 2 of the quantiles"},
		{`"q":0.9`, `"q":0.1`, "load.json: head: point 2 of the quantiles"},
		{string(good), `{}`, "load.json: has no side"},
		{string(good), strings.Repeat(" ", maxLoadFile+1), "load.json is too large: 32 MiB, the limit is 32 MiB"},
	} {
		text := strings.Replace(string(good), c.old, c.new, 1)
		if text == string(good) {
			t.Fatalf("no %s in %s", c.old, good)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(t.Context(), w.Dir())
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Load()
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestLongLoad: a load of days has no more windows than one of an hour, and its peaks
// are still there.
func TestLongLoad(t *testing.T) {
	const n = 2*MaxLoadWindows + 5
	var windows []LoadWindow
	for i := range n {
		start := time.Duration(i) * time.Second
		w := LoadWindow{Start: start, End: start + time.Second, Asked: float64(i % 3), Succeeded: 2, Failed: 1, P50: after(1), P99: after(time.Duration(i)), Max: after(3)}
		switch i {
		case 2: // nothing ended: it has no quantile because of that alone
			w.Succeeded, w.Failed, w.P50, w.P99, w.Max = 0, 0, nil, nil, nil
		case 6:
			w.P99 = nil // a failed request
		}
		windows = append(windows, w)
	}
	w, err := Create(t.TempDir(), Info{})
	if err == nil {
		err = w.SetLoad(&Load{Sides: []LoadSide{{Side: "head", Windows: windows}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(t.Context(), w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.Load()
	if err != nil {
		t.Fatal(err)
	}
	got := l.Sides[0].Windows
	var succeeded int64
	for _, w := range got {
		succeeded += w.Succeeded
	}
	if len(got) != n/3+1 || succeeded != 2*(n-1) || got[len(got)-1].End != n*time.Second {
		t.Fatalf("%d windows of %d requests, the last is %+v", len(got), succeeded, got[len(got)-1])
	}
	if w := got[0]; w.Asked != 1 || w.Failed != 2 || w.P50 == nil || *w.P99 != 1 || w.End != 3*time.Second {
		t.Errorf("the first is %+v", w)
	}
	if w := got[1]; *w.P99 != 5 {
		t.Errorf("the second is %+v", w)
	}
	if w := got[2]; w.P99 != nil || *w.Max != 3 {
		t.Errorf("the third, with a failed request, is %+v", w)
	}
}
