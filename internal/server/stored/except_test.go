package stored_test

import (
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/servertest"
)

// except is a time of some minutes, for selections.
func except(from, to int) string {
	at := func(minute int) string {
		return strconv.FormatInt(servertest.Start.Add(time.Duration(minute)*time.Minute).UnixMilli(), 10)
	}
	return at(from) + "-" + at(to)
}

func topOf(t *testing.T, l *servertest.Live, v url.Values) map[string]int64 {
	t.Helper()
	rows := map[string]int64{}
	for _, row := range servertest.Decode[struct{ Report report.Top }](t, l.Get("/api/v1/report/top?trim=false&profile="+servertest.Sel(v))).Report.Rows {
		rows[row.Name] = row.Flat.Value
	}
	return rows
}

// TestExcept checks that a selection leaves out a time.
func TestExcept(t *testing.T) {
	l := servertest.NewLive(t, nil)
	slowMinute(l)
	for _, test := range []struct {
		name       string
		v          url.Values
		work, slow int64 // ns
	}{
		{"all", servertest.Between("cpu", 0, 10), 3030e7, 400e7},
		{"except the slow minute", servertest.Between("cpu", 0, 10, "except", except(5, 6)), 2727e7, 0},
		{"except the first minute", servertest.Between("cpu", 0, 10, "except", except(0, 1)), 2727e7, 400e7},
		{"except the end", servertest.Between("cpu", 0, 10, "except", except(2, 20)), 606e7, 0},
		{"except another time", servertest.Between("cpu", 0, 10, "except", except(20, 30)), 3030e7, 400e7},
		// 10 s are profiled each time.
		{"per second", servertest.Between("cpu", 0, 10, "except", except(5, 6), "per", "second"), 101e6, 0},
		{"per profile", servertest.Between("cpu", 0, 10, "except", except(5, 6), "per", "profile"), 101e7, 0},
	} {
		rows := topOf(t, l, test.v)
		if rows["main.work"] != test.work || rows["main.slow"] != test.slow {
			t.Errorf("%s: main.work took %d and main.slow %d, want %d and %d", test.name, rows["main.work"], rows["main.slow"], test.work, test.slow)
		}
	}
}

// TestSlowMinute checks that a comparison of a slow minute with the rest of the time says
// which function is to blame, by how much the three instances differ.
func TestSlowMinute(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for minute := range 10 {
		for i, instance := range []string{"a", "b", "c"} {
			samples := map[string]int64{"main.work": 100 + int64(i)}
			if minute == 5 {
				samples["main.slow"] = 400 + int64(i)
			}
			l.PutProfile(took(samples), minute, 10*time.Second, "service", "shop", "kind", "cpu", "instance", instance)
		}
	}
	slow := servertest.Between("cpu", 5, 6, "per", "second")
	rest := servertest.Between("cpu", 0, 10, "except", except(5, 6), "per", "second")
	diff := servertest.Decode[struct{ Report report.Diff }](t, l.Get("/api/v1/report/diff?profile="+servertest.Sel(slow)+"&base="+servertest.Sel(rest))).Report
	if diff.Instances == nil || *diff.Instances != [2]int{3, 3} {
		t.Errorf("instances: %+v, want 3 and 3", diff.Instances)
	}
	for _, row := range diff.Rows {
		switch noise := row.Noise != nil && row.Noise.Flat; {
		case row.Name == "main.slow" && (noise || row.Noise == nil):
			t.Errorf("main.slow is noise: %+v", row)
		case row.Name == "main.work" && !noise:
			t.Errorf("main.work isn't noise: %+v", row)
		}
	}
}

// TestScaledInstances checks that a comparison whose base is scaled by a given factor tells
// how much the instances differ: their shares of their own totals would all be 100 %.
func TestScaledInstances(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for minute, samples := range [][]int64{{1000, 1100}, {3000, 3300}} {
		for i, instance := range []string{"a", "b"} {
			l.PutProfile(took(map[string]int64{"main.work": samples[i]}), minute, 10*time.Second, "service", "shop", "kind", "cpu", "instance", instance)
		}
	}
	side := func(minute int) string {
		return servertest.Sel(servertest.Between("cpu", minute, minute+1, "per", "second"))
	}
	diff := servertest.Decode[struct{ Report report.Diff }](t,
		l.Get("/api/v1/report/diff?normalize=1&base_total=0.4&profile="+side(1)+"&base="+side(0))).Report
	if diff.Total == nil || diff.Total.Margin == nil || diff.Total.Margin.High-diff.Total.Margin.Low < 50 {
		t.Errorf("the total is %+v, want a wide margin: two instances that differ by 10 %%", diff.Total)
	}
}

// TestOneInstance checks that a comparison names the instance that changed alone: the mean
// of all isn't sure.
func TestOneInstance(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for minute := range 10 {
		for i, instance := range []string{"a", "b", "c", "d"} {
			samples := map[string]int64{"main.work": 1000 + 10*int64(i)}
			if minute == 5 && instance == "b" {
				samples["main.slow"] = 2000
			}
			if minute == 5 && instance == "c" {
				samples["main.work"] += 17
			}
			l.PutProfile(took(samples), minute, 10*time.Second, "service", "shop", "kind", "cpu", "instance", instance)
		}
	}
	for per, want := range map[string]string{"second": "b", "profile": "b", "sum": ""} {
		slow := servertest.Sel(servertest.Between("cpu", 5, 6, "per", per))
		rest := servertest.Sel(servertest.Between("cpu", 0, 10, "except", except(5, 6), "per", per))
		diff := servertest.Decode[struct{ Report report.Diff }](t, l.Get("/api/v1/report/diff?profile="+slow+"&base="+rest)).Report
		switch o := diff.Outlier; {
		case (o == nil) != (want == ""):
			t.Errorf("per %s: %+v, want %q", per, o, want)
		case o != nil && (o.Instance != want || o.Others != 3 || o.Function != "main.slow"):
			t.Errorf("per %s: %+v", per, o)
		}
	}
}
