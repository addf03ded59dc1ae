package page

import (
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestColours: the pages look like the web UI, whose colours may change.
func TestColours(t *testing.T) {
	theme, err := os.ReadFile("../../../web/src/theme/theme.css")
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`(?m)^\s+--[\w-]+: [^;]+;`)
	all := variable.FindAllString(style, -1)
	if len(all) < 10 {
		t.Fatalf("page.css has %d variables", len(all))
	}
	for _, v := range all {
		if !strings.Contains(string(theme), strings.TrimSpace(v)) {
			t.Errorf("web/src/theme/theme.css has no %s", strings.TrimSpace(v))
		}
	}
	if rest := variable.ReplaceAllString(style, ""); regexp.MustCompile(`#[0-9a-f]{3}|rgb\(`).MatchString(rest) {
		t.Error("page.css has a colour that is no variable of the theme")
	}
}

// TestProblem: what a problem says is text, whatever is in it.
func TestProblem(t *testing.T) {
	w := httptest.NewRecorder()
	WriteProblem(w, 404, "there is no <b>x</b>", "Go to the home page")
	body := w.Body.String()
	if w.Code != 404 || !strings.Contains(body, "<h1>Not found</h1>") || !strings.Contains(body, "no &lt;b&gt;x") || !strings.Contains(body, `href="/"`) {
		t.Errorf("%d\n%s", w.Code, body)
	}
	if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, "style-src 'sha256-"+styleHash()+"'") || strings.Contains(got, "unsafe") {
		t.Errorf("policy %s", got)
	}
	if !strings.Contains(body, "<style>"+style+"</style>") {
		t.Error("the style is not what its hash is of")
	}
	w = httptest.NewRecorder()
	if WriteProblem(w, 403, "no", ""); strings.Contains(w.Body.String(), "href=\"/\"") {
		t.Error("a link to the start that nobody asked for")
	}
}

// TestTitle: a title is text, too.
func TestTitle(t *testing.T) {
	w := httptest.NewRecorder()
	Write(w, 200, `</title><script>`, "<p>body</p>\n")
	if body := w.Body.String(); !strings.Contains(body, "<title>&lt;/title&gt;&lt;script&gt; – hone</title>") || !strings.Contains(body, "\n<p>body</p>\n</main>") {
		t.Error(body)
	}
}
