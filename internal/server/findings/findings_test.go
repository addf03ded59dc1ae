package findings_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/runs"
	. "github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/internal/tune"
	"github.com/hone-go/hone/profile"
)

const slowSource = "package slow\n\nimport \"regexp\"\n\n// Valid checks a <name>.\nfunc Valid(name string) bool {\n\treturn regexp.MustCompile(`^[a-z]+$`).MatchString(name)\n}\n"

// slowModule is a module that compiles a pattern for each call.
func slowModule(t *testing.T) *advisor.Module {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/slow\n\ngo 1.24\n")
	write(t, filepath.Join(dir, "slow.go"), slowSource)
	m, err := advisor.ModuleOf(dir)
	if err != nil || m.Dir != dir {
		t.Fatalf("%+v, %v", m, err)
	}
	return m
}

// write writes a file as it was some time ago: one that is of this moment may be changed
// once more without anybody seeing.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	age(t, name, time.Hour)
}

func age(t *testing.T, name string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// slowProfile is a CPU profile of it.
func slowProfile() *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(name, file string, line int64) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, file, 6), Line: line})
	}
	compile, valid := at("regexp.compile", "regexp.go", 170), at("example.com/slow.Valid", "/build/slow.go", 7)
	b.Sample([]uint32{compile, at("regexp.MustCompile", "regexp.go", 310), valid}, nil, 80, 800e6)
	b.Sample([]uint32{at("runtime.futex", "sys.s", 10)}, nil, 20, 200e6)
	return b.Profile()
}

// newSite is a server of that profile and module.
func newSite(t *testing.T, change func(*Config)) *Site {
	return NewSite(t, func(c *Config) {
		c.Profiles.Profiles = []reports.Source{{Name: "cpu", Ready: slowProfile()}}
		c.Advice.Module = slowModule(t)
		if change != nil {
			change(c)
		}
	})
}

const path = "/api/v1/advice?wait=60&profile="

// TestAdvice: findings of an open profile are those of hone advise, with their states, and
// hone fix knows them. They hold until the source changes.
func TestAdvice(t *testing.T) {
	var made int
	s := newSite(t, func(c *Config) {
		c.Advice.Keep = true
		c.Advice.Examine = func(ctx context.Context, inputs []advice.Input, o advice.Options) (*advice.Report, error) {
			made++
			if !o.Foreign || o.MaxPackages != 20 {
				t.Errorf("options %+v", o)
			}
			return c.Advice.Module.Examine(ctx, inputs, o)
		}
	})
	m := s.Config.Advice.Module
	got := Decode[api.Advice](t, s.Get(path+s.IDs[0]))
	if len(got.Findings) != 1 || got.Module != m.Dir || !got.Kept || got.Run != "" || len(got.History) != 0 || got.Title != "1 thing is worth doing:" || !slices.Equal(got.Packages, []string{"example.com/slow"}) {
		t.Fatalf("%+v", got)
	}
	f := got.Findings[0]
	if f.Rule != "regexp-per-call" || f.Place != "slow.go:7" || f.File != filepath.Join(m.Dir, "slow.go") || f.Symbol != "example.com/slow.Valid" || f.State != advice.Bounded ||
		f.Profile != s.IDs[0] || len(f.Costs) != 2 || f.Costs[0] != "cost: 80.0 % of the CPU time" || !(f.Bound.Time > 0.79 && f.Bound.Time < 0.81) || f.Fix == nil || !strings.Contains(f.Fix.Diff, "+++ b/slow.go") {
		t.Errorf("finding %+v", f)
	}
	kept, _, err := m.Store.Find(f.ID)
	if err != nil || string(kept.Fix.Files[0].Before) != slowSource {
		t.Errorf("hone fix: %+v %v", kept, err)
	}

	// What becomes of a rewrite is seen at once, and nothing is made anew for it.
	if err := m.Store.Record(&tune.Result{Finding: f.ID, Rule: f.Rule, State: advice.Refuted, Why: "slower", Time: time.Now()}, &f.Finding); err != nil {
		t.Fatal(err)
	}
	if again := Decode[api.Advice](t, s.Get(path+s.IDs[0])); again.Findings[0].State != advice.Refuted || len(again.History) != 1 || again.History[0].Why != "slower" || made != 1 || again.Time != got.Time {
		t.Errorf("made %d times: %+v", made, again)
	}

	write(t, filepath.Join(m.Dir, "slow.go"), strings.Replace(slowSource, "func ", "// It is exact.\nfunc ", 1))
	if moved := Decode[api.Advice](t, s.Get(path+s.IDs[0])); made != 2 || len(moved.Findings) != 1 || moved.Findings[0].Line != 8 {
		t.Errorf("made %d times: %+v", made, moved)
	}
	write(t, filepath.Join(m.Dir, "slow.go"), "package slow\n\nfunc Valid(name string) bool { return nothing }\n")
	broken := Decode[api.Advice](t, s.Get(path+s.IDs[0]))
	if made != 3 || len(broken.Findings) != 0 || len(broken.Unexamined) != 1 || !strings.Contains(broken.Unexamined[0], "undefined: nothing") {
		t.Errorf("source that doesn't build: %+v", broken)
	}
	// Of a file that is written while it is read nobody knows what was read.
	age(t, filepath.Join(m.Dir, "slow.go"), -time.Hour)
	s.Get(path + s.IDs[0])
	if s.Get(path + s.IDs[0]); made != 5 {
		t.Errorf("made %d times", made)
	}
}

// TestNotKept: findings that can't be kept take nothing from the advice.
func TestNotKept(t *testing.T) {
	s := newSite(t, func(c *Config) {
		c.Advice.Keep = true
		if err := os.MkdirAll(filepath.Join(c.Advice.Module.Store.Dir, "shown.json", "taken"), 0o777); err != nil {
			t.Fatal(err)
		}
	})
	if got := Decode[api.Advice](t, s.Get(path+s.IDs[0])); got.Kept || len(got.Findings) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestErrors(t *testing.T) {
	s := newSite(t, nil)
	for target, want := range map[string]struct {
		status         int
		param, message string
	}{
		"/api/v1/advice":                                      {400, "profile", "profile or run is missing"},
		"/api/v1/advice?run=a&profile=b":                      {400, "run", "both"},
		"/api/v1/advice?profile=a&wait=x":                     {400, "wait", "0 to 60"},
		"/api/v1/advice?profile=a&wait=61":                    {400, "wait", "0 to 60"},
		"/api/v1/advice?profile=a&top=1":                      {400, "top", "(known: run, wait, profile)"},
		"/api/v1/advice?run=a&run=b":                          {400, "run", "given 2 times"},
		"/api/v1/advice?profile=0123":                         {404, "profile", "no profile 0123"},
		"/api/v1/advice?run=latest":                           {404, "", "no kept runs"},
		"/api/v1/advice?profile=sel%3Aq%3Dcpu":                {404, "profile", "stores no profiles"},
		"/api/v1/advice?profile=sel%3Afrom%3Dxx":              {400, "profile", "from"},
		"/api/v1/advice?" + strings.Repeat("profile=a&", 101): {400, "profile", "the limit is 100"},
	} {
		Fails(t, s.Do("GET", target, ""), want.status, want.param, want.message)
	}
	none := newSite(t, func(c *Config) { c.Advice.Module = nil })
	Fails(t, none.Do("GET", path+none.IDs[0], ""), 404, "", "start hone ui in the module's folder")
	offers := func(s *Site) bool {
		return Decode[api.ProfileList](t, s.Get("/api/v1/profiles")).Advice
	}
	if offers(none) || !offers(s) {
		t.Error("what servers offer")
	}
	// The go command's own words, where the module can't be read.
	write(t, filepath.Join(s.Config.Advice.Module.Dir, "go.mod"), "module example.com/slow\n\nrequire nonsense\n")
	Fails(t, s.Do("GET", path+s.IDs[0], ""), 422, "", "go.mod:3")
}

// A slowly is an Examine that waits until it is told to go on.
type slowly struct {
	begun chan struct{}
	goOn  chan struct{}
	ended chan error

	mu    sync.Mutex
	times int
}

func newSlowly() *slowly {
	return &slowly{begun: make(chan struct{}, 10), goOn: make(chan struct{}), ended: make(chan error, 10)}
}

func (s *slowly) examine(ctx context.Context, _ []advice.Input, o advice.Options) (*advice.Report, error) {
	s.mu.Lock()
	s.times++
	s.mu.Unlock()
	o.Stage("thinking")
	s.begun <- struct{}{}
	select {
	case <-s.goOn:
		s.ended <- nil
		return &advice.Report{}, nil
	case <-ctx.Done():
		s.ended <- ctx.Err()
		return nil, ctx.Err()
	}
}

// TestOnce: who asks at the same time waits for the same, and is told how far it is.
func TestOnce(t *testing.T) {
	x := newSlowly()
	s := newSite(t, func(c *Config) { c.Advice.Examine = x.examine })
	target := "/api/v1/advice?wait=0&profile=" + s.IDs[0]
	if r := s.Do("GET", target, ""); r.StatusCode != http.StatusAccepted || r.Header.Get("Cache-Control") != "no-store" {
		t.Fatal(r.Status)
	}
	<-x.begun
	progress := Decode[api.AdviceProgress](t, Body(t, s.Do("GET", target, "")))
	if progress.Stage != "thinking" || progress.Elapsed < 0 {
		t.Errorf("%+v", progress)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if r := s.Do("GET", path+s.IDs[0], ""); r.StatusCode != http.StatusOK {
				t.Error(r.Status)
			}
		})
	}
	close(x.goOn)
	both.Wait()
	s.Get(target)
	if x.times != 1 {
		t.Errorf("made %d times", x.times)
	}
}

// TestInTurn: one works at a time, and who waits is told.
func TestInTurn(t *testing.T) {
	x := newSlowly()
	s := newSite(t, func(c *Config) {
		c.Advice.Examine = x.examine
		c.Profiles.Profiles = append(c.Profiles.Profiles, reports.Source{Name: "other", Ready: Testdata(t, CPU1)})
	})
	target := "/api/v1/advice?wait=0&profile="
	s.Do("GET", target+s.IDs[0], "")
	<-x.begun
	for Decode[api.AdviceProgress](t, Body(t, s.Do("GET", target+s.IDs[1], ""))).Stage != "waiting for other advice" {
		time.Sleep(time.Millisecond)
	}
	if x.times != 1 {
		t.Errorf("%d at a time", x.times)
	}
	close(x.goOn)
	s.Get(path + s.IDs[1])
}

// TestCancelled: what nobody asks for any more ends, and begins anew for who does.
func TestCancelled(t *testing.T) {
	x := newSlowly()
	s := newSite(t, func(c *Config) {
		c.Advice.Examine, c.Advice.Limits.Linger = x.examine, time.Millisecond
	})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan int)
	go func() {
		left <- s.Do("GET", path+s.IDs[0], "", func(r *http.Request) { *r = *r.WithContext(ctx) }).StatusCode
	}()
	<-x.begun
	leave()
	if err := <-x.ended; err == nil {
		t.Error("it went on")
	}
	if status := <-left; status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
	close(x.goOn)
	s.Get(path + s.IDs[0])
	if x.times != 2 {
		t.Errorf("made %d times", x.times)
	}
}

// TestTooSlow: advice has a time limit.
func TestTooSlow(t *testing.T) {
	x := newSlowly()
	s := newSite(t, func(c *Config) {
		c.Advice.Examine, c.Advice.Limits.Time = x.examine, time.Millisecond
	})
	Fails(t, s.Do("GET", path+s.IDs[0], ""), 503, "", "longer than 1ms")
}

// told keeps what an Examine is given.
type told struct {
	sync.Mutex
	inputs []advice.Input
	held   bool // findings on memory are about what is in use
}

func (x *told) examine(_ context.Context, inputs []advice.Input, _ advice.Options) (*advice.Report, error) {
	x.Lock()
	defer x.Unlock()
	x.inputs = inputs
	report := new(advice.Report)
	for _, in := range inputs {
		f := advice.Finding{ID: "of-" + in.Subject + "-" + in.Kind, Class: advice.AdviceOnly, Evidence: advice.Evidence{Subject: in.Subject}}
		switch share := new(advice.Share); in.Kind {
		case "cpu":
			f.Evidence.CPU = share
		case "mem":
			if f.Evidence.Bytes = share; x.held {
				f.Evidence = advice.Evidence{Subject: in.Subject, Live: share, LiveObjects: share}
			}
		}
		report.Findings = append(report.Findings, f)
	}
	return report, nil
}

// TestRun: advice on a run is on all its profiles, and advice on one of them is the run's.
func TestRun(t *testing.T) {
	const id = "20261121-093000-00bb"
	kept, err := runs.Open(t.Context(), "../../../cmd/hone/testdata/runs", nil, func(context.Context) []objective.Objective { return nil }, func(file string) func(context.Context) (*profile.Profile, error) {
		return func(context.Context) (*profile.Profile, error) {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			return profile.DecodeBytes(data, profile.Limits{})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	x := &told{held: true}
	s := newSite(t, func(c *Config) { c.Runs, c.Advice.Run, c.Advice.Examine = kept, kept.Find, x.examine })
	of := Decode[api.Advice](t, s.Get("/api/v1/advice?wait=60&run="+id))
	about := Decode[api.RunAbout](t, s.Get("/api/v1/runs/"+id))
	if of.Run != id || len(x.inputs) != len(about.Profiles) || len(of.Findings) != len(x.inputs) {
		t.Fatalf("%+v of %+v", of, about.Profiles)
	}
	for _, f := range of.Findings {
		if i := slices.IndexFunc(about.Profiles, func(p api.RunProfile) bool { return p.ID == f.Profile }); i < 0 || about.Profiles[i].Benchmark != f.Evidence.Subject || "of-"+f.Evidence.Subject+"-"+about.Profiles[i].Kind != f.ID {
			t.Errorf("%s shows %s", f.Profile, f.ID)
		}
	}
	x.inputs = nil
	if one := Decode[api.Advice](t, s.Get("/api/v1/advice?wait=60&profile="+about.Profiles[0].ID)); one.Run != id || len(x.inputs) != len(about.Profiles) {
		t.Errorf("of one profile: %+v", one)
	}
	Fails(t, s.Do("GET", "/api/v1/advice?run=nothing", ""), 404, "run", "no run nothing")
}

// TestSelection: advice on a selection is on all that the service sent in that time.
func TestSelection(t *testing.T) {
	x := new(told)
	g := NewGuarded(t, func(c *Config) { c.Advice.Module, c.Advice.Examine = slowModule(t), x.examine })
	g.Fill()
	g.Put(Heap, 1, 0, "service", "api", "kind", "allocs", "version", "v1", "zone", "a")
	g.Put("goroutineleak.go127.pb.gz", 1, 0, "service", "api", "kind", "goroutineleak", "version", "v1", "zone", "a")
	target := path + Sel(Between(`cpu{service="api"}`, 0, 10, "per", "second"))
	got := Decode[api.Advice](t, Body(t, g.Do("GET", target, "", g.As("api-reader"))))
	var kinds []string
	for _, in := range x.inputs {
		if in.Subject != "api" {
			t.Errorf("subject %q", in.Subject)
		}
		kinds = append(kinds, in.Kind)
	}
	// What was allocated is in two profiles, and counts once.
	in := func(i int, column string) bool { _, err := x.inputs[i].Profile.SampleIndex(column); return err == nil }
	if len(x.inputs) != 4 || !in(1, "alloc_space") || in(2, "alloc_space") || !in(1, "inuse_space") || in(2, "inuse_space") {
		t.Errorf("columns of %+v", kinds)
	}
	if !slices.Equal(kinds, []string{"cpu", "mem", "mem", "goroutineleak"}) || len(got.Findings) != 4 || !strings.Contains(got.Findings[1].Profile, "allocs") {
		t.Errorf("kinds %v, %+v", kinds, got)
	}
	x.inputs = nil
	body := Body(t, g.Do("GET", target, "", g.As("api-reader")))
	if x.inputs != nil {
		t.Errorf("made again: %s", body)
	}
	// Who sees other services asks another question.
	if r := g.Do("GET", target, "", g.As("reader")); r.StatusCode != http.StatusOK || x.inputs == nil {
		t.Error(r.Status)
	}
	Fails(t, g.Do("GET", path+Sel(Between(`cpu{service="web"}`, 0, 10)), "", g.As("api-reader")), 404, "profile", "no profiles match")
	Fails(t, g.Do("GET", "/api/v1/advice?run=latest", "", g.As("api-reader")), 403, "", "may see only the profiles of some services")
	Fails(t, g.Do("GET", "/api/v1/advice?profile=0123", "", g.As("api-reader")), 403, "", "may see only the profiles of some services")
}

// TestJSON: a page gets what hone advise -json prints, under the same names.
func TestJSON(t *testing.T) {
	s := newSite(t, nil)
	var served, printed map[string]any
	if err := json.Unmarshal([]byte(s.Get(path+s.IDs[0])), &served); err != nil {
		t.Fatal(err)
	}
	report, err := s.Config.Advice.Module.Examine(t.Context(), []advice.Input{{Profile: slowProfile()}}, advice.Options{Compiler: true})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &printed); err != nil {
		t.Fatal(err)
	}
	var compare func(at string, want, got any)
	compare = func(at string, want, got any) {
		switch want := want.(type) {
		case map[string]any:
			for k, v := range want {
				of, _ := got.(map[string]any)
				compare(at+"."+k, v, of[k])
			}
		case []any:
			of, _ := got.([]any)
			if len(of) != len(want) {
				t.Errorf("%s: %v, want %v", at, got, want)
				return
			}
			for i, v := range want {
				compare(at, v, of[i])
			}
		default:
			if got != want {
				t.Errorf("%s: %v, want %v", at, got, want)
			}
		}
	}
	compare("", printed, served)
}
