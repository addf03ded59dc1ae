package server_test

import (
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/servertest"

	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestFlameWindows(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	type window struct {
		Report struct {
			From, To int64
			Total    struct{ Value int64 }
			Nodes    struct{ ID, Depth []int64 }
		}
	}
	whole := servertest.Decode[window](t, s.Get(s.Report("flame", ""))).Report
	if whole.From != 0 || whole.To != whole.Total.Value || len(whole.Nodes.ID) < 10 {
		t.Fatalf("%+v", whole)
	}
	part := servertest.Decode[window](t, s.Get(s.Report("flame", "width=300&node="+fmt.Sprint(whole.Nodes.ID[2])))).Report
	if part.To-part.From >= whole.To || len(part.Nodes.ID) == 0 {
		t.Errorf("%+v", part)
	}
	if trees := s.Cache.Kept("tree "); trees != 1 {
		t.Errorf("%d trees were built for windows of one", trees)
	}
}

func TestPages(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	index := s.Get("/")
	for _, name := range server.Views() {
		if s.Get("/"+name+"?profile=x&focus=y") != index {
			t.Errorf("/%s is another page", name)
		}
	}
	for target, want := range map[string][2]string{
		"/":                   {"text/html; charset=utf-8", "no-cache"},
		"/icon.svg":           {"image/svg+xml", "no-cache"},
		"/assets/index-1a.js": {"text/javascript; charset=utf-8", server.Immutable},
	} {
		r := s.Do("GET", target, "")
		if got := [2]string{r.Header.Get("Content-Type"), r.Header.Get("Cache-Control")}; got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	for _, target := range []string{"/nosuch", "/assets/", "/assets/nosuch.js", "/flame/x", "/index.html/", "/..%2f..%2fetc%2fpasswd"} {
		if r := s.Do("GET", target, ""); r.StatusCode != 404 || !strings.Contains(servertest.Body(t, r), `href="/"`) {
			t.Errorf("%s: %s", target, r.Status)
		}
	}
	servertest.Fails(t, s.Do("POST", "/", ""), http.StatusMethodNotAllowed, "", "")
}

// TestProblemsAsPages: who looks at an error in a window gets a page, programs JSON.
func TestProblemsAsPages(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	window := servertest.Header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	for _, c := range []struct {
		target, host string
		status       int
		text         string
		home         bool
	}{
		{"/api/v1/nosuch", servertest.Host, http.StatusNotFound, "<h1>Not found</h1>", true},
		{"/api/v1/report/top?profile=nosuch", servertest.Host, http.StatusNotFound, "nosuch", true},
		{"/", "evil.example:80", http.StatusForbidden, "evil.example", false}, // a link there would lead to the same
	} {
		r := s.Do("GET", c.target, "", window, servertest.Header("Host", c.host))
		body := servertest.Body(t, r)
		if r.StatusCode != c.status || r.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(body, c.text) {
			t.Errorf("%s: %s, %s\n%s", c.target, r.Status, r.Header.Get("Content-Type"), body)
		}
		if strings.Contains(body, `href="/"`) != c.home {
			t.Errorf("%s: a link to the start is wanted: %v\n%s", c.target, c.home, body)
		}
		servertest.Fails(t, s.Do("GET", c.target, "", servertest.Header("Host", c.host)), c.status, paramOf(c.target), "")
	}
}

// paramOf is the parameter that an error of a target blames.
func paramOf(target string) string {
	if strings.Contains(target, "profile=") {
		return "profile"
	}
	return ""
}

func TestServe(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.AddHosts(l.Addr().String())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	r, err := http.Get("http://" + l.Addr().String() + s.Report("top", ""))
	if err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestLeaving: a client that leaves gets its report stopped, and no other.
func TestLeaving(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	stopped := make(chan error, 1)
	s := servertest.NewSite(t, nil)
	s.Handle("GET /api/v1/slow", server.Everyone, func(w http.ResponseWriter, r *http.Request) error {
		a, err := server.Cached(r.Context(), s.Cache, "slow", func(ctx context.Context) (*server.Answer, int64, error) {
			close(started)
			select {
			case <-ctx.Done():
				stopped <- ctx.Err()
				return nil, 0, ctx.Err()
			case <-release:
				a, err := server.JSONAnswer(ctx, "done")
				return a, 0, err
			}
		})
		if err != nil {
			return err
		}
		return a.Write(w, r, http.StatusOK, server.Revalidate)
	})
	ask := func(ctx context.Context) chan int {
		status := make(chan int, 1)
		go func() {
			status <- s.Do("GET", "/api/v1/slow", "", func(r *http.Request) { *r = *r.WithContext(ctx) }).StatusCode
		}()
		return status
	}
	waiting := func(n int) {
		for s.Cache.Waiters() != n {
			time.Sleep(time.Millisecond)
		}
	}
	leaving, leave := context.WithCancel(t.Context())
	first := ask(leaving)
	<-started
	second := ask(t.Context())
	waiting(2)
	leave()
	<-first
	close(release)
	if got := <-second; got != 200 {
		t.Errorf("the second client gets %d", got)
	}

	started, release = make(chan struct{}), make(chan struct{})
	s.Cache.Empty()
	leaving, leave = context.WithCancel(t.Context())
	first = ask(leaving)
	<-started
	leave()
	<-first
	if err := <-stopped; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPrepare(t *testing.T) {
	s := servertest.NewSite(t, func(c *servertest.Config) { c.Options.Focus = "main" }, "cpu.generics.pb.gz")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Reports.Prepare(ctx) }()
	trees := func() int { return s.Cache.Kept("tree ") }
	for trees() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
	s.Get("/api/v1/report/flame?width=1000&" + s.Reports.Start())
	if trees() != 1 {
		t.Error("what was prepared is not what is asked for")
	}
	servertest.NewSite(t, nil).Reports.Prepare(t.Context()) // without a profile there is nothing to do
}
