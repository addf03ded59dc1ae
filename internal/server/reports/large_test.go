package reports_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/profile"
)

// longNames is a profile of a few bytes whose traces are gigabytes: two long names in
// deep stacks.
func longNames() *profile.Profile {
	const name, depth, samples = 200_000, 5_000, 20
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	var places []uint32
	for _, letter := range []string{"a", "b"} {
		f := b.Function(strings.Repeat(letter, name), "", letter+".go", 1)
		places = append(places, b.Location(0, 0, profile.Line{Function: f, Line: 1}))
	}
	for s := range samples {
		var stack []uint32
		for i := range depth {
			stack = append(stack, places[(i>>(s%5))&1])
		}
		b.Sample(stack, nil, int64(s+1))
	}
	return b.Profile()
}

// manyLabels is a profile whose samples share many labels that name a long text.
func manyLabels() *profile.Profile {
	const samples, labels, text = 200, 50_000, 20_000
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	stack := []uint32{b.Location(0, 0, profile.Line{Function: b.Function("main.main", "", "main.go", 1), Line: 1})}
	key, value := b.String("key"), b.String(strings.Repeat("v", text))
	set := make([]profile.Label, labels)
	for i := range set {
		set[i] = profile.Label{Key: key, Str: value}
	}
	for range samples {
		b.Sample(stack, set, 1)
	}
	return b.Profile()
}

// TestLargeAnswers: whatever a profile is, an answer is within the limit or an error
// that names it, and takes no more memory than a few of its size while it is made.
func TestLargeAnswers(t *testing.T) {
	const most = 4 << 20
	for name, p := range map[string]*profile.Profile{"long names": longNames(), "many labels": manyLabels()} {
		s := servertest.NewSite(t, func(c *servertest.Config) {
			c.Limits = server.Limits{Answer: most, Sending: 64 << 20}
			c.Profiles.Profiles, c.Shown = []reports.Source{{Name: "x", Ready: p}}, []int{0}
		})
		refused := 0
		for _, kind := range reports.Kinds() {
			for _, format := range kind.Formats {
				if kind.Name == "graph" && format != "dot" && format != "callgrind" {
					continue // what lays graphs out has bounds of its own
				}
				if name == "many labels" && format == "dot" {
					continue // TODO
				}
				query := "format=" + format + "&nodecount=100000&trim=0"
				if kind.NeedsMatch {
					query += "&match=."
				}
				if kind.NeedsBase {
					query += "&base=" + s.IDs[0]
				}
				switch kind.Name {
				case "traces", "raw":
					query += "&limit=1000000"
				case "flame/search":
					query += "&query=."
				}
				what := fmt.Sprintf("%s: %s as %s", name, kind.Name, format)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				r := s.Do("GET", s.Report(kind.Name, query), "")
				runtime.ReadMemStats(&after)
				if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 200 {
					t.Errorf("%s: %d MB were allocated", what, n)
				}
				switch body := servertest.Body(t, r); {
				case r.StatusCode == http.StatusRequestEntityTooLarge:
					if refused++; !strings.Contains(body, "-max-answer") {
						t.Errorf("%s: the error doesn't name the limit: %.300s", what, body)
					}
				case r.StatusCode == http.StatusServiceUnavailable:
					t.Errorf("%s: there was no memory left: %.300s", what, body)
				case len(body) > most:
					t.Errorf("%s: the answer has %d bytes", what, len(body))
				}
			}
		}
		if refused < 4 {
			t.Errorf("%s: %d answers were refused: too few to show anything", name, refused)
		}
	}
}

// deepStacks returns samples whose stacks have nothing in common: some kilobytes that are a
// tree of 400,000 nodes.
func deepStacks() *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	locations := make([]uint32, 100)
	for i := range locations {
		locations[i] = b.Location(uint64(i+1), 0, profile.Line{Function: b.Function(fmt.Sprint("f", i), "", "f.go", 1)})
	}
	stack := make([]uint32, 5000)
	for s := range 80 {
		for i := range stack {
			stack[i] = locations[(s+i)%len(locations)]
		}
		b.Sample(stack, nil, 1)
	}
	return b.Profile()
}

// What a report is made of counts, not its text alone: it ends with an error that names the
// limit, and leaves the memory to others.
func TestWorkIsBounded(t *testing.T) {
	p := deepStacks()
	other := *p
	other.TimeNanos = 1 // another profile
	s := servertest.NewSite(t, func(c *servertest.Config) {
		c.Limits = server.Limits{Sending: 64 << 20, Work: 8 << 20}
		c.Profiles.Profiles, c.Shown = []reports.Source{{Name: "x", Ready: p}, {Name: "y", Ready: &other}}, []int{0}
	})
	for _, q := range []struct{ kind, query string }{
		{"flame", ""}, {"flame", "inverted=true"}, {"flame", "format=folded"}, {"flame", "format=speedscope"}, {"flame", "base=" + s.IDs[1]},
		{"flame/search", "query=f1"}, {"graph", "format=dot&call_tree=true"},
	} {
		if body := servertest.Body(t, s.Do("GET", s.Report(q.kind, q.query), "")); !strings.Contains(body, "in_flight") || !strings.Contains(body, "focus") {
			t.Errorf("%s?%s: %.300q; want an error that names the limit and what to ask for", q.kind, q.query, body)
		}
	}
	for _, kind := range []string{"top", "tree", "summary"} {
		if r := s.Do("GET", s.Report(kind, ""), ""); r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", kind, servertest.Body(t, r))
		}
	}
}
