package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestStranger asks servers that are not hone's.
func TestStranger(t *testing.T) {
	page := "<!doctype html>\n<title>Welcome\x1b[2J to another server</title>" + strings.Repeat(" and more", 100)
	answers := map[string]int{"/ok": 200, "/missing": 404, "/broken": 503}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "frob/1.2")
		w.Header().Set("Content-Type", "text/html")
		for prefix, status := range answers {
			if strings.HasPrefix(r.URL.Path, prefix) {
				w.WriteHeader(status)
			}
		}
		w.Write([]byte(page))
	}))
	defer srv.Close()
	for _, args := range [][]string{
		{"push", "-service", "api", "-timeout", "1ms", testdata("cpu.gc.pb.gz")}, {"query", "cpu"}, {"query", "-labels", "{}"}, {"query", "-by", "version", "cpu"}, {"store", "backup"},
	} {
		for prefix := range answers {
			o := honeWith(t, map[string]string{"HONE_SERVER": srv.URL + prefix}, "", args...)
			if o.code != exitFailure || strings.Contains(o.stderr, "\x1b") {
				t.Errorf("hone %q: %+v", args, o)
			}
			for _, want := range []string{srv.URL + prefix + " is not hone serve; it answered: ", "; Server: frob/1.2; Content-Type: text/html; starting with \"<!doctype html> <title>Welcome"} {
				if !strings.Contains(o.stderr, want) {
					t.Errorf("hone %q: %q is not in %q", args, want, o.stderr)
				}
			}
		}
	}

	for _, asked := range []bool{true, false} { // before it says what it is
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				if asked {
					c.Read(make([]byte, 1))
				}
				c.Write([]byte("SSH-2.0-Frob\r\n"))
				c.Close()
			}
		}()
		o := honeWith(t, map[string]string{"HONE_SERVER": l.Addr().String()}, "", "query", "cpu")
		if o.code != exitFailure || !strings.Contains(o.stderr, l.Addr().String()) {
			t.Errorf("no HTTP: %+v", o)
		}
		// Whether the request goes out first is a race where the answer does not wait for it.
		if says := strings.Contains(o.stderr, "SSH-2.0-Frob"); !says && (asked || !strings.Contains(o.stderr, "speaks before it is asked")) {
			t.Errorf("asked %v: %+v", asked, o)
		}
	}
}
