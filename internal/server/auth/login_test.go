package auth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/server/auth/oidctest"
)

// TestLoginPageAsksForNothing checks that a browser shows the page without a
// further request, which would be refused for want of a login, and that it sends
// the form with an origin that the server takes for its own.
func TestLoginPageAsksForNothing(t *testing.T) {
	i := oidctest.New(t)
	p := newPortal(t, i, anyoneVerified)
	login, err := http.Get(p.URL + LoginPath)
	if err != nil {
		t.Fatal(err)
	}
	login.Body.Close()
	refused, err := http.PostForm(p.URL+LoginPath, url.Values{"token": {"guess"}})
	if err != nil {
		t.Fatal(err)
	}
	refused.Body.Close()
	for _, r := range []*http.Response{login, refused} {
		name := r.Request.Method + " " + LoginPath
		// Under no-referrer browsers send the origin "null".
		if got := r.Header.Get("Referrer-Policy"); got != "same-origin" {
			t.Errorf("%s: the referrer policy is %q", name, got)
		}
		if got := r.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: kept with %q", name, got)
		}
		allowed := map[string]string{}
		for directive := range strings.SplitSeq(r.Header.Get("Content-Security-Policy"), "; ") {
			what, from, _ := strings.Cut(directive, " ")
			allowed[what] = from
		}
		for what, from := range map[string]string{"default-src": "'none'", "img-src": "data:", "form-action": "'self'", "frame-ancestors": "'none'"} {
			if allowed[what] != from {
				t.Errorf("%s: %s is %q, want %q", name, what, allowed[what], from)
			}
		}
	}
	_, text := p.get(t, p.URL+LoginPath)
	if !strings.Contains(text, `<link rel="icon" href="data:,">`) {
		t.Error("without an icon of the page's own, browsers ask for /favicon.ico")
	}
	if !strings.Contains(text, "hone token add -role read NAME") {
		t.Errorf("the page doesn't say where a token comes from:\n%s", text)
	}
	if strings.Contains(text, "src=") || strings.Count(text, "<link") != 1 {
		t.Errorf("the page needs another file:\n%s", text)
	}
}
