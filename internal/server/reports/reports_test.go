package reports_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/servertest"

	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/profile"
)

// TestProfileWarnings: what could not be read of a profile is among the
// warnings of every answer about it.
func TestProfileWarnings(t *testing.T) {
	const dump = "goroutine 1 [running] {a=b}:\nmain.main()\n\t/src/main.go:3 +0x1d\n"
	p, err := profile.DecodeBytes([]byte(dump), profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p = profile.WithSource(p, "x.txt")
	other := *p
	other.TimeNanos = 1
	s := servertest.NewSite(t, func(c *servertest.Config) {
		c.Profiles.Profiles, c.Shown = []reports.Source{{Name: "x", Ready: p}, {Name: "y", Ready: &other}}, []int{0}
	})
	const want = `x.txt: line 1 (byte 0): labels that cannot be read: "goroutine 1 [running] {a=b}:"`
	for _, target := range []string{
		s.Report("top", ""), s.Report("flame", ""), s.Report("peek", "match=main"), s.Report("diff", "base="+s.IDs[1]),
		s.Report("flame", "base="+s.IDs[1]), "/api/v1/profiles/" + s.IDs[0],
	} {
		got := servertest.Decode[struct{ Warnings []string }](t, s.Get(target)).Warnings
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: warnings %q", target, got)
		}
	}
}

func TestRequestErrors(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz", "heap.inlining.pb.gz")
	id, other := s.IDs[0], s.IDs[1]
	for _, test := range []struct {
		target  string
		status  int
		param   string
		message string
	}{
		{"/api/v1/report/top", 400, "profile", "missing"},
		{"/api/v1/report/top?profile=", 404, "profile", "no profile"},
		{"/api/v1/report/top?profile=0123456789abcdef01234567", 404, "profile", "no profile"},
		{"/api/v1/profiles/nosuch", 404, "profile", "no profile"},
		{"/api/v1/report/nosuch?profile=" + id, 404, "", "nosuch"},
		{"/api/v1/nosuch", 404, "", "/api/v1/nosuch"},
		{"/api/", 404, "", "/api/"},
		{s.Report("diff", ""), 400, "base", "missing"},
		{s.Report("diff", "base=nosuch"), 404, "base", "nosuch"},
		{s.Report("diff", "base="+other), 422, "", "sample type"},
		{s.Report("top", "format=xml"), 400, "format", "json, text, csv"},
		{s.Report("peek", "match=main&format=csv"), 400, "format", "csv"},
		{s.Report("top", "focus=("), 400, "focus", "missing closing"},
		{s.Report("top", "tagfocus=key%3D("), 400, "tagfocus", "missing closing"},
		{s.Report("top", "tagignore=a,("), 400, "tagignore", "missing closing"},
		{s.Report("top", "focus=%zz"), 400, "", "%zz"},
		{s.Report("top", "focus=a;b"), 400, "", "semicolon"},
		{s.Report("top", "focus=a&focus=b"), 400, "focus", "2 times"},
		{s.Report("top", "sort=size"), 400, "sort", "size"},
		{s.Report("top", "granularity=words"), 400, "granularity", "words"},
		{s.Report("top", "nodecount=many"), 400, "nodecount", "many"},
		{s.Report("top", "nodefraction=NaN"), 400, "nodefraction", "finite number"},
		{s.Report("top", "divide_by=0"), 400, "divide_by", "invalid divide_by 0"},
		{s.Report("top", "divide_by=Inf"), 400, "divide_by", "finite number"},
		{s.Report("top", "trim=perhaps"), 400, "trim", "perhaps"},
		{s.Report("top", "sample_index=9"), 400, "sample_index", "9"},
		{s.Report("flame", "sample_index=nosuch"), 400, "sample_index", "nosuch"},
		{s.Report("diff", "sample_index=nosuch&base="+id), 400, "sample_index", "nosuch"},
		{s.Report("top", "fokus=main"), 400, "fokus", "unknown parameter"},
		{s.Report("top", "match=main"), 400, "match", "unknown parameter"},
		{s.Report("top", "limit=-1"), 400, "limit", "-1"},
		{s.Report("top", "offset=x"), 400, "offset", "x"},
		{s.Report("top", "order=colour"), 400, "order", "colour"},
		{s.Report("tree", "order=flat"), 400, "order", "unknown parameter"},
		{s.Report("top", "download=perhaps"), 400, "download", "perhaps"},
		{s.Report("peek", ""), 400, "match", "missing"},
		{s.Report("source", "match=("), 400, "match", "missing closing"},
		{s.Report("peek", "match=nosuchfunction"), 422, "", "no matches"},
		{s.Report("disasm", "match=main"), 422, "", "no access to binaries"},
		{s.Report("flame", "width=0&from=-1"), 400, "from", "-1"},
		{s.Report("flame", "width=99999999999999999999"), 400, "width", "99999"},
		{s.Report("flame", "width=100000000"), 400, "width", ""},
		{s.Report("flame", "node=100000000"), 400, "node", "unknown node"},
		{s.Report("flame", "from=9223372036854775807"), 400, "from", ""},
		{s.Report("flame", "from=5&to=4"), 400, "to", ""},
		{s.Report("flame", "side=left"), 400, "side", "left"},
		{s.Report("flame", "inverted=up"), 400, "inverted", "up"},
		{s.Report("flame/search", ""), 400, "query", "missing"},
		{s.Report("flame/search", "query=("), 400, "query", "missing closing"},
		{"/api/v1/report/top?profile=" + id + "&profile=" + other, 422, "", ""},
		// Files of this machine are not to be chosen by a request.
		{s.Report("top", "output=/tmp/x"), 400, "output", "unknown parameter"},
		{s.Report("source", "match=main&source_path=/etc"), 400, "source_path", "unknown parameter"},
		{s.Report("top", "trim_path=/etc"), 400, "trim_path", "unknown parameter"},
	} {
		t.Run(test.target, func(t *testing.T) {
			servertest.Fails(t, s.Do("GET", test.target, ""), test.status, test.param, test.message)
		})
	}
	servertest.Fails(t, s.Do("DELETE", "/api/v1/profiles/"+id, ""), 404, "", "DELETE")
}

// TestEveryReport checks that every report comes in every format it says it
// has, and from an empty profile too.
func TestEveryReport(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz", "heap.inlining.pb.gz")
	empty := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"}).Profile()
	hollow := servertest.NewSite(t, func(c *servertest.Config) { c.Profiles.Profiles = []reports.Source{{Name: "empty", Ready: empty}} })
	for _, k := range reports.Kinds() {
		if k.Name == "disasm" {
			continue // needs a program
		}
		for i, f := range k.Formats {
			t.Run(k.Name+" "+f, func(t *testing.T) {
				query := "format=" + f
				if k.NeedsMatch {
					query += "&match=main"
				}
				if k.NeedsBase {
					query += "&base=" + s.IDs[0]
				}
				if k.Name == "flame/search" {
					query += "&query=main"
				}
				r := s.Do("GET", s.Report(k.Name, query), "")
				if r.StatusCode != 200 || r.Header.Get("Content-Type") != k.ContentTypes[i] {
					t.Errorf("%s, %s: %.300s", r.Status, r.Header.Get("Content-Type"), servertest.Body(t, r))
				}
				query = strings.ReplaceAll(query, s.IDs[0], hollow.IDs[0])
				if r := hollow.Do("GET", hollow.Report(k.Name, query), ""); r.StatusCode != 200 && !k.NeedsMatch {
					t.Errorf("of an empty profile: %s: %.300s", r.Status, servertest.Body(t, r))
				}
			})
		}
	}
}

func TestPaging(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz", "cpu.method-values.pb.gz")
	base := "base=" + s.IDs[1] + "&"
	type row struct{ Name string }
	type page struct {
		Rows   int
		Report struct {
			Rows   []row
			Traces []json.RawMessage
			Lines  []string
		}
	}
	length := func(p page) int { return len(p.Report.Rows) + len(p.Report.Traces) + len(p.Report.Lines) }
	for name, query := range map[string]string{"top": "", "tree": "", "diff": base, "traces": "", "raw": ""} {
		t.Run(name, func(t *testing.T) {
			all := servertest.Decode[page](t, s.Get(s.Report(name, query+"limit=0")))
			if all.Rows != length(all) || all.Rows < 10 {
				t.Fatalf("%d rows of %d", length(all), all.Rows)
			}
			var got page
			for offset := 0; offset < all.Rows; offset += 7 {
				p := servertest.Decode[page](t, s.Get(s.Report(name, fmt.Sprintf("%slimit=7&offset=%d", query, offset))))
				if n := length(p); n != min(7, all.Rows-offset) || p.Rows != all.Rows {
					t.Fatalf("at %d there are %d rows of %d", offset, n, p.Rows)
				}
				got.Report.Rows = append(got.Report.Rows, p.Report.Rows...)
				got.Report.Traces = append(got.Report.Traces, p.Report.Traces...)
				got.Report.Lines = append(got.Report.Lines, p.Report.Lines...)
			}
			if fmt.Sprint(got.Report) != fmt.Sprint(all.Report) {
				t.Error("the pages are not the whole")
			}
			if p := servertest.Decode[page](t, s.Get(s.Report(name, query+"offset=1000000"))); length(p) != 0 || p.Rows != all.Rows {
				t.Errorf("behind the end there are %d rows of %d", length(p), p.Rows)
			}
		})
	}
	for _, r := range servertest.Decode[page](t, s.Get(s.Report("top", "find=%5Eruntime%5C.&order=name"))).Report.Rows {
		if !strings.Contains(r.Name, "runtime.") {
			t.Errorf("%s was found", r.Name)
		}
	}
}

func TestFailedProfile(t *testing.T) {
	loads := 0
	s := servertest.NewSite(t, func(c *servertest.Config) {
		c.Profiles.Profiles = append(c.Profiles.Profiles, reports.Source{Name: "gone.pb.gz", Load: func(context.Context) (*profile.Profile, error) {
			loads++
			return nil, errors.New("gone.pb.gz: no such file")
		}})
	}, "cpu.generics.pb.gz")
	list := func() []api.Profile {
		return servertest.Decode[struct{ Profiles []api.Profile }](t, s.Get("/api/v1/profiles")).Profiles
	}
	if got := list()[1]; got.State != reports.StateWaiting || loads != 0 {
		t.Errorf("%+v, %d loads", got, loads)
	}
	for range 2 {
		servertest.Fails(t, s.Do("GET", "/api/v1/profiles/"+s.IDs[1], ""), 422, "profile", "no such file")
	}
	if got := list()[1]; got.State != reports.StateFailed || !strings.Contains(got.Error, "no such file") || loads != 1 {
		t.Errorf("%+v, %d loads", got, loads)
	}
	s.Get(s.Report("top", ""))
}

// fileProfile returns a profile whose only function is in a file.
func fileProfile(name, file string) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	f := b.Function(name, name, file, 1)
	b.Sample([]uint32{b.Location(0x1000, 0, profile.Line{Function: f, Line: 1})}, nil, 100)
	return b.Profile()
}

// TestSourceFiles: whoever makes a profile chooses the names of its files.
func TestSourceFiles(t *testing.T) {
	for _, file := range []string{
		"/etc/passwd", "../../../../../../../../etc/passwd", "/etc/passwd.go", "../../go.mod", "/proc/self/environ",
		"file:///etc/passwd", "", "internal/../../../../../../../../etc/hosts", "C:\\Windows\\win.ini",
	} {
		s := servertest.NewSite(t, func(c *servertest.Config) {
			c.Profiles.Profiles = []reports.Source{{Name: "p", Ready: fileProfile("main.main", file)}}
		})
		for _, format := range []string{"json", "text", "html"} {
			r := s.Do("GET", s.Report("source", "match=main&format="+format), "")
			if text := servertest.Body(t, r); strings.Contains(text, "root:") || strings.Contains(text, "module github.com") || strings.Contains(text, "PATH=") || strings.Contains(text, "127.0.0.1") {
				t.Errorf("%s was served as %s: %.200s", file, format, text)
			}
		}
	}
	s := servertest.NewSite(t, func(c *servertest.Config) {
		c.Profiles.Profiles = []reports.Source{{Name: "p", Ready: fileProfile("server.New", "github.com/hone-go/hone/internal/server/doc.go")}}
	})
	if !strings.Contains(s.Get(s.Report("source", "match=server")), "Package server is the shell of hone's web server") {
		t.Error("the source of a module at work is not served")
	}
}

// TestConcurrentRequests is for the race detector: requests of all kinds at a
// time, over profiles that are loaded by them, with a cache that is too small.
func TestConcurrentRequests(t *testing.T) {
	names := []string{"cpu.generics.pb.gz", "cpu.method-values.pb.gz", "heap.inlining.pb.gz"}
	s := servertest.NewSite(t, func(c *servertest.Config) {
		c.Limits.CacheBytes, c.Limits.Uploads, c.Limits.Parallel = 300_000, 2, 4
		for i := range c.Profiles.Profiles {
			p := c.Profiles.Profiles[i].Ready
			c.Profiles.Profiles[i].Ready, c.Profiles.Profiles[i].Load = nil, func(context.Context) (*profile.Profile, error) { return p, nil }
		}
	}, names...)
	kinds := reports.Kinds()
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 15 {
				id := s.IDs[rnd.IntN(len(s.IDs))]
				k := kinds[rnd.IntN(len(kinds))]
				f := k.Formats[rnd.IntN(len(k.Formats))]
				if k.Name == "graph" && f != "dot" && f != "callgrind" {
					continue // slow
				}
				query := "profile=" + id + "&format=" + f
				if k.NeedsMatch {
					query += "&match=main"
				}
				if k.NeedsBase || f != "speedscope" && rnd.IntN(3) == 0 { // which shows no comparisons
					query += "&base=" + id
				}
				if k.Name == "flame/search" {
					query += "&query=main"
				}
				if r := s.Do("GET", "/api/v1/report/"+k.Name+"?"+query, ""); r.StatusCode != 200 && k.Name != "disasm" && !k.NeedsMatch {
					t.Errorf("%s %s: %s", k.Name, query, r.Status)
				}
				s.Do("GET", "/api/v1/profiles", "")
				s.Do("POST", "/api/v1/profiles", servertest.Raw(t, names[rnd.IntN(len(names))]))
				s.Do("GET", "/api/v1/profiles/"+id, "")
			}
		})
	}
	wg.Wait()
}

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	s := servertest.NewSite(t, func(c *servertest.Config) { c.Log = func(line string) { log.WriteString(line) } }, "cpu.generics.pb.gz")
	defer reports.AddKind("broken", func(context.Context) (*server.Answer, error) { panic("at the disco") })()
	servertest.Fails(t, s.Do("GET", s.Report("broken", ""), ""), http.StatusInternalServerError, "", "at the disco")
	if !strings.Contains(log.String(), "reports_test.go") {
		t.Errorf("no stack in the log: %s", log.String())
	}
	s.Get(s.Report("top", ""))
	failing := servertest.NewSite(t, func(c *servertest.Config) {
		c.Profiles.Profiles = []reports.Source{{Name: "p", Load: func(context.Context) (*profile.Profile, error) { panic("while loading") }}}
	})
	servertest.Fails(t, failing.Do("GET", failing.Report("top", ""), ""), http.StatusInternalServerError, "profile", "while loading")
}

// TestSelectionIsAProfile asks for every report of a selection, and compares
// some with those of the same profiles merged by hand.
func TestSelectionIsAProfile(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	merged, err := profile.Sum(t.Context(), servertest.Testdata(t, servertest.CPU1), servertest.Testdata(t, servertest.CPU1), servertest.Testdata(t, servertest.CPU2))
	if err != nil {
		t.Fatal(err)
	}
	merged.TimeNanos, merged.DurationNanos = servertest.Start.UnixNano(), int64(30*time.Second)
	id := servertest.Sel(servertest.Between(`cpu{service="api"}`, 0, 10))
	for _, command := range []string{"top", "tree", "tags"} {
		r, err := report.New(merged, command, "", report.DefaultOptions(), report.Env{})
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := r.WriteText(&want); err != nil {
			t.Fatal(err)
		}
		if got := l.Get("/api/v1/report/" + command + "?format=text&profile=" + id); got != want.String() {
			t.Errorf("%s of the selection:\n%s\nof the profiles merged:\n%s", command, got, want.String())
		}
	}
	for _, k := range reports.Kinds() {
		if k.Name == "disasm" {
			continue // needs a program
		}
		query := "profile=" + id
		if k.NeedsBase {
			query += "&base=" + id
		}
		if k.NeedsMatch {
			query += "&match=json"
		}
		if k.Name == "flame/search" {
			query += "&query=json"
		}
		for _, f := range k.Formats {
			if k.Name == "graph" && f != "dot" {
				continue // drawn as of any profile, which takes long
			}
			l.Get("/api/v1/report/" + k.Name + "?format=" + f + "&" + query)
		}
	}
}
