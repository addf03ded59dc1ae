package clickhouse_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
	"github.com/hone-go/hone/internal/store/storetest"
)

// base is the start of a day in 2026.
const base = int64(20717 * 86400e9)

// record returns the nth record of a service.
func record(t testing.TB, n int, at int64, more ...store.Label) store.Record {
	t.Helper()
	labels, err := store.NewLabels(append(more, store.Label{Name: store.LabelService, Value: "api"}, store.Label{Name: store.LabelKind, Value: "cpu"})...)
	if err != nil {
		t.Fatal(err)
	}
	return store.Record{
		ID: store.ID{byte(n >> 8), byte(n), 1}, Labels: labels, Time: at, Duration: 1e9,
		Profile: storetest.Generate(rand.New(rand.NewPCG(1, uint64(n))), "cpu", 20),
	}
}

func put(t testing.TB, s store.Store, records ...store.Record) {
	t.Helper()
	if err := s.Put(t.Context(), records); err != nil {
		t.Fatalf("Put: %v", err)
	}
}

// number returns what a statement says, 0 for nothing.
func number(t testing.TB, s *clickhousetest.Server, sql string) float64 {
	t.Helper()
	text, err := s.Query(sql)
	if err != nil {
		t.Fatal(err)
	}
	if text = strings.TrimSpace(text); text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// kept returns how many profiles a store has, by Merge and by Series.
func kept(t testing.TB, s store.Store) int64 {
	t.Helper()
	groups, err := s.Merge(t.Context(), store.Query{})
	if err != nil {
		t.Fatalf("Merge: %v", err)
	}
	all, err := s.Series(t.Context(), store.Query{Step: 3600e9})
	if err != nil {
		t.Fatalf("Series: %v", err)
	}
	merged, summed := int64(0), int64(0)
	for _, g := range groups {
		merged += g.Profiles
	}
	for _, sr := range all {
		for _, p := range sr.Points {
			summed += p.Profiles
		}
	}
	if merged != summed {
		t.Errorf("Merge is of %d profiles, Series of %d", merged, summed)
	}
	return merged
}

// wantError fails unless an error says all of texts.
func wantError(t testing.TB, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got error %v, want one with %q", err, text)
		}
	}
}

// Tables that are missing, old or new are told from each other, with what helps.
func TestTables(t *testing.T) {
	onEach(t, func(t *testing.T, config func(t testing.TB) clickhouse.Config) {
		cfg := config(t)
		_, err := clickhouse.Open(t.Context(), cfg)
		wantError(t, err, cfg.Addresses[0], "hone store create")
		cfg = create(t, cfg)
		s := open(t, cfg)
		put(t, s, record(t, 1, base))
		create(t, cfg) // again, which changes nothing
		if n := kept(t, s); n != 1 {
			t.Errorf("there are %d profiles", n)
		}
		s.Close()
		s = open(t, cfg)
		defer s.Close()
		if n := kept(t, s); n != 1 {
			t.Errorf("there are %d profiles after Create was repeated", n)
		}
	})
}

func TestNewerTables(t *testing.T) {
	server := clickhousetest.Single(t)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	if _, err := server.Query("INSERT INTO " + cfg.Database + ".schema (version, key) VALUES (99, 'x')"); err != nil {
		t.Fatal(err)
	}
	_, err := clickhouse.Open(t.Context(), cfg)
	wantError(t, err, "version 99", "newer hone")
	wantError(t, clickhouse.Create(t.Context(), cfg), "version 99", "newer hone")
}

func TestRefused(t *testing.T) {
	server := clickhousetest.Single(t)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	wrong := cfg
	wrong.User, wrong.Password = clickhousetest.User, "not-the-password"
	_, err := clickhouse.Open(t.Context(), wrong)
	wantError(t, err, server.Addr, "password")
	if strings.Contains(err.Error(), wrong.Password) {
		t.Errorf("the error tells the password: %v", err)
	}
	reader := cfg
	reader.User = clickhousetest.Reader
	s := open(t, reader)
	defer s.Close()
	err = s.Put(t.Context(), []store.Record{record(t, 1, base)})
	wantError(t, err, "needs the rights to insert")
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Put of a user who may only read: got %v, want %v", err, store.ErrUnavailable)
	}
}

// A store outlives its server: calls fail, say where, and work again when it is back.
func TestServerDown(t *testing.T) {
	server := clickhousetest.ForTest(t, clickhousetest.StartSingle)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	s := open(t, cfg)
	defer s.Close()
	put(t, s, record(t, 1, base))
	server.Kill()
	err := s.Put(t.Context(), []store.Record{record(t, 2, base)})
	wantError(t, err, server.Addr, "refused")
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Put: got %v, want %v", err, store.ErrUnavailable)
	}
	_, err = s.Merge(t.Context(), store.Query{})
	wantError(t, err, server.Addr)
	wantError(t, s.Ready(t.Context()), server.Addr)
	_, err = clickhouse.Open(t.Context(), cfg)
	wantError(t, err, server.Addr, "refused")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("Ready: %v", err)
	}
	put(t, s, record(t, 1, base), record(t, 2, base))
	if n := kept(t, s); n != 2 {
		t.Errorf("there are %d profiles, want 2", n)
	}
	if got := s.Stats(); got.Put != 2 || got.Duplicates != 1 || got.Unavailable != 1 || got.Waiting != 0 {
		t.Errorf("got %+v", got)
	}
}

// A server that gives up a connection while a request comes in says 400, and no more.
func TestGivenUp(t *testing.T) {
	server := clickhousetest.Single(t)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	through := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server.Addr})
	var asked atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%3 == 0 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		through.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	cfg.Addresses = []string{strings.TrimPrefix(proxy.URL, "http://")}
	s := open(t, cfg)
	defer s.Close()
	for i := range 5 {
		put(t, s, record(t, i, base))
		if n := kept(t, s); n != int64(i+1) {
			t.Errorf("there are %d profiles, want %d", n, i+1)
		}
	}
}

// Two stores on the same tables see what the other one keeps at once, and what both
// are sent at once counts once.
func TestTwoNodes(t *testing.T) {
	onEach(t, func(t *testing.T, config func(t testing.TB) clickhouse.Config) {
		cfg := create(t, config(t))
		nodes := []*clickhouse.Store{open(t, cfg), open(t, cfg)}
		for _, s := range nodes {
			defer s.Close()
		}
		const each = 10
		var wg sync.WaitGroup
		for i := range each {
			for n, s := range nodes {
				wg.Go(func() {
					own := record(t, 1000+100*n+i, base+int64(i)*1e9)
					both := record(t, i, base+int64(i)*1e9)
					if err := s.Put(t.Context(), []store.Record{own, both}); err != nil {
						t.Errorf("Put: %v", err)
					}
				})
			}
		}
		wg.Wait()
		for _, s := range nodes {
			if n := kept(t, s); n != 3*each {
				t.Errorf("there are %d profiles, want %d", n, 3*each)
			}
		}
		put(t, nodes[0], record(t, 5000, base, store.Label{Name: store.LabelZone, Value: "new"}))
		if n := kept(t, nodes[1]); n != 3*each+1 {
			t.Errorf("there are %d profiles, want %d", n, 3*each+1)
		}
		model := storetest.NewModel()
		for i := range each {
			put(t, model, record(t, i, base+int64(i)*1e9), record(t, 1000+i, base+int64(i)*1e9), record(t, 1100+i, base+int64(i)*1e9))
		}
		got, err := nodes[1].Merge(t.Context(), store.Query{Selector: store.Selector{{Name: store.LabelZone, Op: store.Equal}}})
		want, _ := model.Merge(t.Context(), store.Query{})
		if err != nil || len(got) != 1 {
			t.Fatalf("Merge: %d groups, %v", len(got), err)
		}
		if d := storetest.Diff(got[0].Profile, want[0].Profile); d != "" {
			t.Error(d)
		}
	})
}

// What has expired is refused, and what expires goes with its part of the dictionary.
func TestRetention(t *testing.T) {
	onEach(t, func(t *testing.T, config func(t testing.TB) clickhouse.Config) {
		cfg := create(t, config(t))
		const day = int64(24 * time.Hour)
		var now atomic.Int64 // asked in the background, too
		now.Store(base + 20*day)
		cfg.Retention, cfg.Now = 30*24*time.Hour, func() time.Time { return time.Unix(0, now.Load()) }
		s := open(t, cfg)
		defer s.Close()
		if err := s.Put(t.Context(), []store.Record{record(t, 1, base-20*day)}); !errors.Is(err, store.ErrExpired) {
			t.Errorf("Put: got %v, want %v", err, store.ErrExpired)
		}
		for i := range 20 {
			put(t, s, record(t, i, base+int64(i)*day))
		}
		now.Store(base + 40*day + 3600e9)
		if cfg.Cluster != "" { // of old servers
			wantError(t, s.DropExpired(t.Context()), "before version 21")
			if n := kept(t, s); n != 20 {
				t.Errorf("there are %d profiles, want all 20", n)
			}
			return
		}
		for range 2 {
			if err := s.DropExpired(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := kept(t, s); n != 10 { // days 10 to 19
				t.Errorf("there are %d profiles, want 10", n)
			}
		}
		put(t, s, record(t, 10, base+10*day+7200e9))
		sizes, err := s.Sizes(t.Context())
		if err != nil || sizes.Profiles != 11 || sizes.First != base+10*day || sizes.Services["api"] != 11 || len(sizes.Tables) < 4 {
			t.Errorf("got sizes %+v, %v", sizes, err)
		}
	})
}

// Texts of profiles and questions are no statements.
func TestNothingIsPasted(t *testing.T) {
	server := clickhousetest.Single(t)
	cfg := create(t, clickhouse.Config{Addresses: []string{server.Addr}, Database: server.Name(t)})
	s := open(t, cfg)
	defer s.Close()
	for i, text := range []string{`'; DROP TABLE profiles; --`, "\\", "'", "')) OR 1=1 --", "{x:String}", "\x00", "`"} {
		put(t, s, record(t, i, base, store.Label{Name: store.LabelInstance, Value: text}))
		m, err := store.NewMatcher(store.LabelInstance, store.Equal, text)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := s.Merge(t.Context(), store.Query{Selector: store.Selector{m}, By: []string{store.LabelInstance}, SampleType: "cpu"})
		if err != nil || len(groups) != 1 || groups[0].Profiles != 1 || groups[0].Labels.Get(store.LabelInstance) != text {
			t.Errorf("%q: got %v, %v", text, groups, err)
		}
		if names, err := s.Labels(t.Context(), store.Query{SampleType: text, By: []string{text}}); err != nil || len(names) != 3 {
			t.Errorf("%q: got %v, %v", text, names, err)
		}
		if _, err := s.Series(t.Context(), store.Query{SampleType: text, By: []string{text}}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if n := kept(t, s); n != 7 {
		t.Errorf("there are %d profiles", n)
	}
}
