package reports_test

import (
	"mime"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/hone-go/hone/internal/hostile"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/servertest"
)

// forms are how answers of a content type are written; see formOf.
var forms = map[string]hostile.Form{
	"application/json": hostile.JSON, "text/csv": hostile.CSV, "image/svg+xml": hostile.SVG, "text/html": hostile.HTML, "image/png": hostile.Picture,
	"application/pdf": hostile.PDF, "application/octet-stream": hostile.Pprof, "text/plain": hostile.Lines,
}

func formOf(t *testing.T, contentType, format string) hostile.Form {
	kind, _, _ := strings.Cut(contentType, ";")
	form, ok := forms[kind]
	if !ok {
		t.Fatalf("answers as %s aren't tested: add them to forms", contentType)
	}
	if format == "dot" {
		return hostile.DOT
	}
	return form
}

// TestHostileText asks for every report in every form about a profile whose texts
// are syntax somewhere. The answers have to have the parts of those about the same
// profile with plain texts.
func TestHostileText(t *testing.T) {
	type shape struct {
		status int
		parts  []string
	}
	slow := []string{"png", "pdf", "svg"}
	ask := func(bad string) map[string]shape {
		out := map[string]shape{}
		p, other := hostile.Profile(bad, 1), hostile.Profile(bad, 5)
		s := servertest.NewSite(t, func(c *servertest.Config) {
			c.Profiles.Profiles, c.Shown = []reports.Source{{Name: "x" + bad, Ready: p}, {Name: "y", Ready: other}}, []int{0}
		})
		for _, k := range reports.Kinds() {
			for i, format := range k.Formats {
				if k.Name == "graph" && slices.Contains(slow, format) && slices.Contains(hostile.Texts[1:], bad) {
					continue // as hone svg and hone pdf, which are given all of them
				}
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
				name := k.Name + " as " + format
				one := shape{status: r.StatusCode}
				if r.StatusCode == http.StatusOK {
					as := r.Header.Get("Content-Disposition")
					_, params, err := mime.ParseMediaType(as)
					if file := params["filename"]; err != nil || len(file) > 200 || !strings.HasPrefix(file, "x") || strings.ContainsFunc(as+file, unicode.IsControl) || strings.ContainsAny(file, `/\:*?"<>|%`) {
						t.Errorf("%s of %.100q: the file is called %q, %v", name, bad, as, err)
					}
					if one.parts, err = hostile.Parts(formOf(t, k.ContentTypes[i], format), body); err != nil {
						t.Errorf("%s of %.100q: %v", name, bad, err)
					}
				} else if _, err := hostile.Parts(hostile.JSON, body); err != nil {
					t.Errorf("%s of %.100q: the error is %v", name, bad, err)
				}
				if form := formOf(t, k.ContentTypes[i], format); k.Name == "source" && form != hostile.JSON || form == hostile.Picture {
					one.parts = nil // files that are there, or not
				}
				out[name] = one
			}
		}
		return out
	}
	want := ask(hostile.Plain)
	for name, plain := range want {
		if plain.status != http.StatusOK && !strings.HasPrefix(name, "disasm") { // there is no program
			t.Errorf("%s of plain texts: status %d", name, plain.status)
		}
	}
	for _, bad := range hostile.Texts {
		for name, got := range ask(bad) {
			plain := want[name]
			if got.status != plain.status {
				t.Errorf("%s of %.100q: status %d, want %d", name, bad, got.status, plain.status)
			} else if !slices.Equal(got.parts, plain.parts) {
				t.Errorf("%s of %.100q has the parts\n%.1500q\nwant\n%.1500q", name, bad, got.parts, plain.parts)
			}
		}
	}
}
