package clickhouse_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
	"github.com/hone-go/hone/internal/store/storetest"
)

const hour = int64(time.Hour)

// both is a store beside the model of one.
type both struct {
	t     *testing.T
	s     *clickhouse.Store
	model store.Store
}

func (b both) put(records ...store.Record) {
	b.t.Helper()
	put(b.t, b.s, records...)
	put(b.t, b.model, records...)
}

// compare fails unless a question is answered as by the model. It returns how many
// hours were taken from roll-ups.
func (b both) compare(what string, q store.Query) int64 {
	b.t.Helper()
	before := b.s.Stats().RolledHours
	got, err := b.s.Merge(b.t.Context(), q)
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
	taken := b.s.Stats().RolledHours - before
	want, err := b.model.Merge(b.t.Context(), q)
	if err != nil {
		b.t.Fatal(err)
	}
	if q.Step != 0 {
		b.series(what, q)
	}
	if len(got) != len(want) || len(want) == 0 {
		b.t.Fatalf("%s: %d groups, want %d, and some", what, len(got), len(want))
	}
	for i := range got {
		g, w := got[i].Total, want[i].Total
		g.Version, w.Version = 0, 0 // each store has its own
		if got[i].Labels.Compare(want[i].Labels) != 0 || got[i].Time != want[i].Time || g != w {
			b.t.Errorf("%s: group %v at %d with %+v, want %v at %d with %+v", what, got[i].Labels, got[i].Time, g, want[i].Labels, want[i].Time, w)
		}
		if diff := storetest.Diff(got[i].Profile, want[i].Profile); diff != "" {
			b.t.Errorf("%s: group %v at %d: %s", what, got[i].Labels, got[i].Time, diff)
		}
	}
	return taken
}

// series fails unless totals are the model's.
func (b both) series(what string, q store.Query) {
	b.t.Helper()
	got, err := b.s.Series(b.t.Context(), q)
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
	want, err := b.model.Series(b.t.Context(), q)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, all := range [][]store.Series{got, want} {
		for i := range all {
			for k := range all[i].Points {
				all[i].Points[k].Version = 0
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		b.t.Errorf("%s: got series %v, want %v", what, got, want)
	}
}

func (b both) rollUp(q store.Query) int {
	b.t.Helper()
	n, err := b.s.RollUp(b.t.Context(), q)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// TestTwoHeaders: what stands in the table twice counts once also where the header differs,
// as that of a record that was sent again in another way may.
func TestTwoHeaders(t *testing.T) {
	server := clickhousetest.Single(t)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	s := open(t, cfg)
	defer s.Close()
	records := fleet(t, 1)
	put(t, s, records...)
	for _, sql := range []string{
		"SYSTEM STOP MERGES",
		"INSERT INTO %[1]s.profiles (day, service, kind, hour, series, time, id, header, duration, totals, sites, v1, v2, v3, v4, more, came)" +
			" SELECT day, service, kind, hour, series, time, id, (SELECT max(header) FROM %[1]s.profiles), duration, totals, sites, v1, v2, v3, v4, more, came FROM %[1]s.profiles",
	} {
		if strings.Contains(sql, "%") {
			sql = fmt.Sprintf(sql, cfg.Database)
		}
		if _, err := server.Query(sql); err != nil {
			t.Fatal(err)
		}
	}
	defer server.Query("SYSTEM START MERGES")
	if n := kept(t, s); n != int64(len(records)) {
		t.Errorf("there are %d profiles, want %d", n, len(records))
	}
}

// TestTwiceOnShards: a profile that stands in a table of a shard twice, as after an insert
// whose outcome nobody knew, counts once.
func TestTwiceOnShards(t *testing.T) {
	c := clickhousetest.SharedCluster(t)
	cfg := create(t, clickhouse.Config{Addresses: c.Addrs(), Database: c.Name(t), Cluster: clickhousetest.ClusterName})
	s := open(t, cfg)
	defer s.Close()
	records := fleet(t, 1)[:4] // of different series: only numbers make them doubtful
	put(t, s, records...)
	table := cfg.Database + ".profiles_local"
	stand := 0.0
	for _, replicas := range c.Shards {
		for _, server := range replicas {
			if _, err := server.Query("SYSTEM STOP MERGES"); err != nil {
				t.Fatal(err)
			}
			defer server.Query("SYSTEM START MERGES")
		}
		resp, err := http.Post("http://"+replicas[0].Addr+"/?insert_quorum=2", "", strings.NewReader("INSERT INTO "+table+" SELECT * FROM "+table))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		if resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Fatalf("%s", text)
		}
		stand += number(t, replicas[0], "SELECT count() FROM "+table)
	}
	if want := 2 * float64(len(records)); stand != want {
		t.Fatalf("%v rows stand there, want %v", stand, want)
	}
	if n := kept(t, s); n != int64(len(records)) { // sums and windows
		t.Errorf("there are %d profiles, want %d", n, len(records))
	}
}

// TestFewRolled: of few profiles nobody looks for roll-ups.
func TestFewRolled(t *testing.T) {
	server := clickhousetest.Single(t)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	cfg.NoRollUps = true // but for what the test asks for
	b := both{t, open(t, cfg), storetest.NewModel()}
	defer b.s.Close()
	b.put(fleet(t, 2)...)
	b.rollUp(store.Query{})
	q := store.Query{From: base, To: base + hour}
	if n := b.compare("an hour of four series", q); n != 0 {
		t.Errorf("%d hours were taken from roll-ups, want none", n)
	}
	q.To += hour
	if n := b.compare("two hours of four series", q); n != 2 {
		t.Errorf("%d hours were taken from roll-ups, want 2", n)
	}
}

// perHour is how many roll-ups an hour of fleet has: of two fleets with three headers
// each, and one of them with another one.
const perHour = 7

// fleet returns records of a few hours: two versions of two instances each.
func fleet(t testing.TB, hours int) (out []store.Record) {
	for h := range hours {
		for i := range 8 {
			rec := record(t, 100*h+i, base+int64(h)*hour+int64(i)*7e9*60,
				store.Label{Name: store.LabelInstance, Value: fmt.Sprint("host-", i%4)}, store.Label{Name: store.LabelVersion, Value: fmt.Sprint("v", i%2)})
			rec.Profile = storetest.Generate(rand.New(rand.NewPCG(1, uint64(i%3))), "cpu", 20)
			if i == 7 {
				rec.Profile.Comments = []string{"of another header"}
			}
			out = append(out, rec)
		}
	}
	return out
}

func TestRollUp(t *testing.T) {
	onEach(t, func(t *testing.T, config func(t testing.TB) clickhouse.Config) {
		cfg := create(t, config(t))
		cfg.NoRollUps = true // but when the test says so
		b := both{t, openRolling(t, cfg), storetest.NewModel()}
		defer b.s.Close()
		const hours = 4
		b.put(fleet(t, hours)...)
		all := store.Query{}
		if n := b.compare("before", all); n != 0 {
			t.Errorf("%d hours of none are rolled up", n)
		}
		if n := b.rollUp(all); n != perHour*hours {
			t.Errorf("%d roll-ups were written, want %d", n, perHour*hours)
		}
		if n := b.rollUp(all); n != 0 {
			t.Errorf("%d roll-ups were written again", n)
		}
		for _, tt := range []struct {
			what string
			q    store.Query
			from int64 // hours
		}{
			{"everything", store.Query{}, hours},
			{"one sample type", store.Query{SampleType: "cpu"}, hours},
			{"by version", store.Query{By: []string{store.LabelVersion}}, hours},
			{"by two hours", store.Query{Step: 2 * hour, By: []string{store.LabelVersion}}, hours},
			{"by 90 minutes", store.Query{Step: 3 * hour / 2}, 3}, // base is in the middle of a window
			{"all times", store.Query{Step: 1 << 62}, hours},
			{"a version", store.Query{Selector: selector(t, `{version="v1"}`)}, hours},
			{"two hours", store.Query{From: base + hour, To: base + 3*hour}, 2},
			{"hours that are cut", store.Query{From: base + hour/2, To: base + 3*hour + hour/3}, 2},
			{"half an hour", store.Query{From: base, To: base + hour/2}, 0},
			{"by instance", store.Query{By: []string{store.LabelInstance}}, 0},
			{"an instance", store.Query{Selector: selector(t, `{instance="host-1"}`)}, 0},
			{"by half hours", store.Query{Step: hour / 2}, 0},
			{"the dearest", store.Query{Top: 0.5}, 0},
		} {
			if n := b.compare(tt.what, tt.q); n != tt.from {
				t.Errorf("%s: %d hours were taken from roll-ups, want %d", tt.what, n, tt.from)
			}
		}

		b.series("the latest", store.Query{Limit: 20})
		b.series("each", store.Query{From: base + hour})

		// What comes late counts at once.
		late := record(t, 9999, base+2*hour+5e9, store.Label{Name: store.LabelInstance, Value: "host-0"}, store.Label{Name: store.LabelVersion, Value: "v0"})
		b.put(late)
		if n := b.compare("after a late profile", all); n != hours-1 {
			t.Errorf("after a late profile, %d hours were taken from roll-ups, want %d", n, hours-1)
		}
		if n := b.rollUp(store.Query{From: base, To: base + 4*hour}); n != 1 {
			t.Errorf("after a late profile, %d roll-ups were written, want 1", n)
		}
		if n := b.compare("rolled up anew", all); n != hours {
			t.Errorf("rolled up anew, %d hours were taken from roll-ups, want %d", n, hours)
		}
		// A fleet that comes into an hour.
		b.put(record(t, 9998, base+3*hour+5e9, store.Label{Name: store.LabelVersion, Value: "v2"}))
		if n := b.compare("with another fleet", all); n != hours-1 {
			t.Errorf("with another fleet, %d hours were taken from roll-ups, want %d", n, hours-1)
		}
		if n := b.compare("the fleets before", store.Query{Selector: selector(t, `{version!="v2"}`)}); n != hours {
			t.Errorf("of the fleets before, %d hours were taken from roll-ups, want %d", n, hours)
		}
	})
}

func selector(t testing.TB, text string) store.Selector {
	t.Helper()
	s, err := store.ParseSelector(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Roll-ups and profiles that stand in their tables twice count once.
func TestRollUpTwice(t *testing.T) {
	server := clickhousetest.Single(t)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	cfg.NoRollUps = true
	b := both{t, openRolling(t, cfg), storetest.NewModel()}
	defer b.s.Close()
	b.put(fleet(t, 2)...)
	twice := func(table string) {
		t.Helper()
		for _, sql := range []string{"SYSTEM STOP MERGES", "INSERT INTO " + cfg.Database + "." + table + " SELECT * FROM " + cfg.Database + "." + table} {
			if _, err := server.Query(sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	defer server.Query("SYSTEM START MERGES")
	twice("profiles")
	if n := b.rollUp(store.Query{}); n != 2*perHour {
		t.Errorf("%d roll-ups were written, want %d", n, 2*perHour)
	}
	b.compare("profiles twice", store.Query{})
	twice("rollups")
	b.compare("both twice", store.Query{})
	if _, err := server.Query("SYSTEM START MERGES"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"profiles", "rollups"} {
		if _, err := server.Query("OPTIMIZE TABLE " + cfg.Database + "." + table + " FINAL"); err != nil {
			t.Fatal(err)
		}
	}
	if n := b.compare("merged by the engine", store.Query{}); n != 2 {
		t.Errorf("%d hours were taken from roll-ups, want 2", n)
	}
	// Two roll up at a time.
	other := openRolling(t, cfg)
	defer other.Close()
	b.put(record(t, 5000, base+5e9), record(t, 5001, base+hour+5e9))
	errs := make(chan error)
	for _, s := range []*clickhouse.Store{b.s, other} {
		go func() {
			_, err := s.RollUp(t.Context(), store.Query{})
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := b.compare("rolled up by two", store.Query{}); n != 2 {
		t.Errorf("%d hours were taken from roll-ups, want 2", n)
	}
}

// Whoever asks for hours that are over has them rolled up for the next time.
func TestRollUpWhenAsked(t *testing.T) {
	server := clickhousetest.Single(t)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	now := time.Unix(0, base+2*hour+15*60e9) // the third hour is not over
	cfg.Now = func() time.Time { return now }
	b := both{t, openRolling(t, cfg), storetest.NewModel()}
	defer b.s.Close()
	b.put(fleet(t, 3)...)
	b.compare("first", store.Query{})
	for deadline := time.Now().Add(time.Minute); b.s.Stats().RolledUp < 2*perHour; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d roll-ups were written in a minute, want %d", b.s.Stats().RolledUp, 2*perHour)
		}
	}
	if n := b.compare("second", store.Query{}); n != 2 {
		t.Errorf("%d hours were taken from roll-ups, want 2", n)
	}
	if n := b.s.Stats().RolledUp; n != 2*perHour {
		t.Errorf("%d roll-ups were written, want %d", n, 2*perHour)
	}
}

// Tables of version 1 had no roll-ups.
func TestMigrate(t *testing.T) {
	onEach(t, func(t *testing.T, config func(t testing.TB) clickhouse.Config) {
		cfg := create(t, config(t))
		cfg.NoRollUps = true
		s := openRolling(t, cfg)
		put(t, s, record(t, 1, base))
		s.Close()
		clickhouse.MakeOld(t, cfg)
		_, err := clickhouse.Open(t.Context(), cfg)
		wantError(t, err, "version 1", "hone store create")
		create(t, cfg)
		s = openRolling(t, cfg)
		defer s.Close()
		if n := kept(t, s); n != 1 {
			t.Errorf("there are %d profiles after the migration, want 1", n)
		}
		put(t, s, record(t, 1, base)) // known by the same number
		if n, err := s.RollUp(t.Context(), store.Query{}); n != 1 || err != nil {
			t.Errorf("%d roll-ups were written, %v", n, err)
		}
		if n := kept(t, s); n != 1 {
			t.Errorf("there are %d profiles, want 1", n)
		}
	})
}

// BenchmarkWeek merges an hour and a week of 20 instances, with and without roll-ups.
func BenchmarkWeek(b *testing.B) {
	const hours, each = 168, 40
	engines(b, func(b *testing.B, s *clickhouse.Store) {
		from := newStream()
		var records []store.Record
		for h := range hours {
			for range each {
				rec := from.next(b)
				n := from.n.Load()
				rec.Time = base + int64(h)*hour + int64(n%each)*hour/each
				rec.Labels, _ = store.NewLabels(append(rec.Labels, store.Label{Name: store.LabelInstance, Value: fmt.Sprint(n % 20)})...)
				records = append(records, rec)
			}
		}
		put(b, s, records...)
		time.Sleep(2 * time.Second) // while the engine merges what was put
		merge := func(name string, q store.Query) {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					groups, err := s.Merge(b.Context(), q)
					if err != nil || len(groups) != 1 || groups[0].Profiles != (q.To-q.From)/hour*each {
						b.Fatalf("%d groups, %v", len(groups), err)
					}
				}
			})
		}
		hourOf, week := store.Query{From: base, To: base + hour}, store.Query{From: base, To: base + hours*hour}
		merge("hour", hourOf)
		merge("week", week)
		if _, err := s.RollUp(b.Context(), week); err != nil {
			b.Fatal(err)
		}
		merge("hour-rolled", hourOf)
		merge("week-rolled", week)
		sizes, err := s.Sizes(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		var text strings.Builder
		for _, t := range sizes.Tables {
			fmt.Fprintf(&text, " %s %d", t.Name, t.Bytes)
		}
		b.Log("bytes:" + text.String())
	})
}
