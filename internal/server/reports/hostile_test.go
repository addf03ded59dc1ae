package reports_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/profile"
)

// hostileProfile returns a profile all of whose texts end with bad.
func hostileProfile(bad string) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "type" + bad, Unit: "unit" + bad}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	m := b.Mapping(profile.Mapping{Limit: 1 << 20, File: "/bin/program" + bad, BuildID: "build" + bad, HasFunctions: true})
	at := func(name string, line int64) uint32 {
		return b.Location(uint64(100*line), m, profile.Line{Function: b.Function(name+bad, name+bad, name+".go"+bad, line), Line: line})
	}
	labels := []profile.Label{
		{Key: b.String("key" + bad), Str: b.String("value" + bad)},
		{Key: b.String("bytes"), Num: 64, Numeric: true, Unit: b.String("unit" + bad)},
	}
	caller, callee := at("main.caller", 3), at("main.callee", 4)
	b.Sample([]uint32{callee, caller}, labels, 10, 20)
	b.Sample([]uint32{caller}, labels[:1], 5, 6)
	p := b.Profile()
	p.Comments, p.DocURL = []string{"comment" + bad}, "https://doc.example/"+bad
	p.DefaultSampleType = "cpu"
	return p
}

// elements returns the elements of an XML or HTML text with the names of their
// attributes; scripts of a page don't count as text.
func elements(t *testing.T, text string, isXML bool) []string {
	t.Helper()
	var out []string
	if isXML {
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			token, err := d.Token()
			if err == io.EOF {
				return out
			}
			if err != nil {
				t.Errorf("the XML is damaged: %v", err)
				return out
			}
			if e, ok := token.(xml.StartElement); ok {
				name := e.Name.Local
				for _, a := range e.Attr {
					name += " " + a.Name.Local
				}
				out = append(out, name)
			}
		}
	}
	for _, tag := range htmlTag.FindAllString(text, -1) {
		out = append(out, htmlValue.ReplaceAllString(tag, ""))
	}
	return out
}

var (
	htmlTag   = regexp.MustCompile(`<[a-zA-Z/!](?:[^>"']|"[^"]*"|'[^']*')*>`)
	htmlValue = regexp.MustCompile(`=(?:"[^"]*"|'[^']*')`)
)

// TestHostileText asks for every report in every form about a profile whose texts
// are syntax somewhere. The answers have to have the parts of those about the same
// profile with plain texts.
func TestHostileText(t *testing.T) {
	bads := []string{
		`"><script>alert(1)</script>`, `' onload='alert(1)`, "]]><a href='javascript:alert(1)'>x</a>", "</script><b>", "\"] URL=\"javascript:x\n}",
		"\x1b[31m\u009b2J", "\u202egnp", "a\nb\r\nc", `\`, "\x00", "\xff", `=cmd|' /C calc'!A0`, ",\"\n;", "${x}`{{.}}", "<!--",
	}
	type shape struct {
		status int
		parts  []string
	}
	ask := func(bad string) map[string]shape {
		out := map[string]shape{}
		p := hostileProfile(bad)
		other := *p
		other.TimeNanos = 1 // another profile
		s := servertest.NewSite(t, func(c *servertest.Config) {
			c.Profiles.Profiles, c.Shown = []reports.Source{{Name: "x" + bad, Ready: p}, {Name: "y", Ready: &other}}, []int{0}
		})
		for _, k := range reports.Kinds() {
			for i, format := range k.Formats {
				query := "format=" + format
				if k.NeedsMatch {
					query += "&match=main"
				}
				if k.NeedsBase || k.Name == "flame/search" {
					query += "&base=" + s.IDs[1]
				}
				if k.Name == "flame/search" {
					query += "&query=main"
				}
				r := s.Do("GET", s.Report(k.Name, query+"&download=true"), "")
				body := servertest.Body(t, r)
				one := shape{status: r.StatusCode}
				if name := r.Header.Get("Content-Disposition"); strings.ContainsAny(name, "\r\n\x1b") {
					t.Errorf("%s as %s: the file is called %q", k.Name, format, name)
				}
				if r.StatusCode == http.StatusOK {
					switch kind := k.ContentTypes[i]; {
					case strings.HasPrefix(kind, "application/json"):
						if !json.Valid([]byte(body)) {
							t.Errorf("%s as %s of %q: damaged JSON", k.Name, format, bad)
						}
					case strings.HasPrefix(kind, "text/csv"):
						rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
						if err != nil {
							t.Errorf("%s as %s of %q: %v", k.Name, format, bad, err)
						}
						one.parts = make([]string, len(rows))
					case strings.HasPrefix(kind, "image/svg"):
						one.parts = elements(t, body, true)
						// How many lines a text has is no syntax.
						one.parts = slices.DeleteFunc(one.parts, func(e string) bool { return strings.HasPrefix(e, "text") || strings.HasPrefix(e, "tspan") })
					case strings.HasPrefix(kind, "text/html"):
						one.parts = elements(t, body, false)
						slices.Sort(one.parts)
						one.parts = slices.Compact(one.parts)
					case format == "folded":
						one.parts = make([]string, strings.Count(body, "\n"))
					}
				}
				out[k.Name+" as "+format] = one
			}
		}
		return out
	}
	want := ask("")
	for name, plain := range want {
		if plain.status != http.StatusOK && !strings.HasPrefix(name, "disasm") { // there is no program
			t.Errorf("%s of plain texts: status %d", name, plain.status)
		}
	}
	for _, bad := range bads {
		for name, got := range ask(bad) {
			plain := want[name]
			if got.status != plain.status {
				t.Errorf("%s of %q: status %d, want %d", name, bad, got.status, plain.status)
			} else if !slices.Equal(got.parts, plain.parts) {
				t.Errorf("%s of %q has the parts\n%.1500q\nwant\n%.1500q", name, bad, got.parts, plain.parts)
			}
		}
	}
}
