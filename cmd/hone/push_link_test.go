package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/ingest/pprofhttp"
)

// TestPushLink sends a profile to a server of its own and follows the link, and to servers
// that tell no id, or one that is none.
func TestPushLink(t *testing.T) {
	url := startServe(t, t.TempDir()).url
	env := map[string]string{"HONE_SERVER": url}
	for range 2 { // the second time it is there
		o := honeWith(t, env, "", "push", "-link", "-service", "uploads", "-time", "-1m", testdata("cpu.gc.pb.gz"))
		lines := strings.Split(strings.TrimSpace(o.stdout), "\n")
		link := lines[len(lines)-1]
		query, ok := strings.CutPrefix(link, url+"/flame?")
		if o.code != 0 || !ok {
			t.Fatalf("%+v", o)
		}
		resp, err := http.Get(url + "/api/v1/report/top?format=text&" + query)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(text), "runtime.") {
			t.Fatalf("%s: %d %.300s, %v", link, resp.StatusCode, text, err)
		}
	}
	for _, id := range []string{"", "../admin", "&q=x"} {
		old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()[pprofhttp.IDHeader] = []string{id}
			w.WriteHeader(http.StatusNoContent)
		}))
		o := honeWith(t, map[string]string{"HONE_SERVER": old.URL}, "", "push", "-link", "-service", "x", testdata("cpu.gc.pb.gz"))
		if o.code != 0 || !strings.Contains(o.stdout, "too old to return a link") {
			t.Errorf("%q: %+v", id, o)
		}
		old.Close()
	}
}
