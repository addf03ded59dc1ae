package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"

	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/shell"
)

// A uiSite is the web UI of a command line, without the listening.
type uiSite struct {
	*server.Server
	t     *testing.T
	start url.Values
	list  []api.Profile
}

const uiHost = "localhost:4000"

// newUISite opens what hone ui (or hone pprof -http, with compat) opens.
func newUISite(t *testing.T, compat bool, args ...string) *uiSite {
	t.Helper()
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: new(sharedBuffer), getenv: func(name string) string {
		return map[string]string{"PPROF_TMPDIR": t.TempDir(), "PPROF_BINARY_PATH": "/nonexistent"}[name]
	}}
	inv, err := shell.ParseVerb("ui", args, a.stderr)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := siteOfProfiles(t.Context(), a, inv, compat)
	if err != nil {
		t.Fatal(err)
	}
	cfg.ViewsFile = filepath.Join(t.TempDir(), "views.json")
	none, err := keptRuns(t.Context(), a, inv, compat, filepath.Join(t.TempDir(), "runs"))
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := uiServer(t.Context(), a, inv, uiFlags{}, cfg, none, server.Reach{Hosts: []string{uiHost}})
	if err != nil {
		t.Fatal(err)
	}
	site := &uiSite{Server: s, t: t}
	var all struct {
		Profiles []api.Profile
		Start    string
	}
	if err := json.Unmarshal([]byte(site.get("/api/v1/profiles")), &all); err != nil {
		t.Fatal(err)
	}
	site.list = all.Profiles
	if site.start, err = url.ParseQuery(all.Start); err != nil {
		t.Fatal(err)
	}
	return site
}

func (s *uiSite) do(target string) (status int, body string) {
	r := httptest.NewRequestWithContext(s.t.Context(), "GET", target, nil)
	r.Host = uiHost
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func (s *uiSite) get(target string) string {
	s.t.Helper()
	status, body := s.do(target)
	if status != 200 {
		s.t.Fatalf("%s: status %d, %.300s", target, status, body)
	}
	return body
}

// report asks for a report on what the command line shows.
func (s *uiSite) report(name string, extra url.Values) string {
	s.t.Helper()
	q := url.Values{}
	for k, v := range s.start {
		q[k] = v
	}
	for k, v := range extra {
		q[k] = v
	}
	return s.get("/api/v1/report/" + name + "?" + q.Encode())
}

// names returns the listed profiles' names.
func (s *uiSite) names() []string {
	var names []string
	for _, p := range s.list {
		names = append(names, p.Name)
	}
	return names
}

// uiTwins are the reports of the API with the command of hone pprof that prints
// the same.
var uiTwins = []struct {
	report, command, match string
	ofText                 func(string) []string
	ofJSON                 func(*testing.T, []byte) []string
}{
	{report: "top", command: "top", ofText: topText, ofJSON: figures(topFigures)},
	{report: "tree", command: "tree", ofText: treeText, ofJSON: figures(treeFigures)},
	{report: "peek", command: "peek", match: "^runtime|^main|Mutex", ofText: treeText, ofJSON: figures(treeFigures)},
	{report: "source", command: "list", match: `mallocgc|^main\.|sync\.\(`},
	{report: "traces", command: "traces", ofText: tracesText, ofJSON: figures(tracesFigures)},
	{report: "tags", command: "tags", ofText: tagsText, ofJSON: figures(tagsFigures)},
	{report: "raw", command: "raw"},
	{report: "graph", command: "dot", ofText: dotText, ofJSON: figures(graphFigures)},
	{report: "graph", command: "callgrind"},
}

// TestUIFigures checks that the web UI shows what hone pprof prints: the same
// bytes where it hands out text, the same figures in JSON.
func TestUIFigures(t *testing.T) {
	// The profiles are of programs whose Go lay there. If one does here, the
	// command line shows its source, and the UI, which looks into GOROOT alone, that
	// of another version if the tests run on one.
	const theirs = "/usr/local/go"
	if _, err := os.Stat(filepath.Join(theirs, "src")); err == nil {
		t.Setenv("GOROOT", theirs)
	}
	optionSets := [][]string{
		{},
		{"cum=1", "nodecount=15"},
		{"lines=1", "focus=runtime|main", "ignore=mallocgc"},
		{"noinlines=1", "hide=^runtime\\.", "unit=ms", "compact_labels=1"},
		{"relative_percentages=1", "focus=main", "trim=false"},
		{"granularity=files", "divide_by=3", "call_tree=1"},
		{"sample_index=0", "show_from=main", "nodefraction=0.05", "edgefraction=0.1"},
		{"tagroot=handler", "mean=1", "prune_from=^sync"},
	}
	for _, sources := range [][]string{
		{"cpu.labels.pb.gz"}, {"heap.json-decode.pb.gz"}, {"mutex.accounts.pb.gz"}, {"cpu.wordcount-v1.pb.gz", "cpu.wordcount-v2.pb.gz"},
		{"-diff_base", "cpu.wordcount-v1.pb.gz", "cpu.wordcount-v2.pb.gz"},
		{"-diff_base", "allocs.wordcount-v1.pb.gz", "allocs.wordcount-v2.pb.gz"},
	} {
		files := slices.Clone(sources)
		for i, s := range files {
			if strings.HasPrefix(s, "-") {
				continue
			}
			files[i] = testdata(s)
		}
		site := newUISite(t, true, files...)
		optionSets := optionSets
		if sources[0] == "-diff_base" {
			optionSets = append(optionSets[:2:2], []string{"normalize=1"}, []string{"normalize=1", "drop_negative=1", "focus=main"})
		}
		for n, options := range optionSets {
			if testing.Short() && n > 1 {
				break
			}
			query, flags := url.Values{}, []string{}
			for _, o := range options {
				name, value, _ := strings.Cut(o, "=")
				switch name {
				case "cum":
					query.Set("sort", "cum")
				case "lines":
					query.Set("granularity", "lines")
				default:
					query.Set(name, value)
				}
				if name == "granularity" {
					o = value
				}
				flags = append(flags, "-"+o)
			}
			for _, tw := range uiTwins {
				t.Run(fmt.Sprint(sources, options, tw.report, " ", tw.command), func(t *testing.T) {
					site := *site
					site.t = t
					q := url.Values{"format": {"text"}}
					for k, v := range query {
						q[k] = v
					}
					args := append([]string{"pprof", "-" + tw.command}, flags...)
					if tw.match != "" {
						q.Set("match", tw.match)
						args[1] += "=" + tw.match
					}
					if tw.report == "graph" {
						q.Set("format", tw.command)
					}
					o := hone(t, append(args, files...)...)
					values := url.Values{}
					for k, v := range site.start {
						values[k] = v
					}
					for k, v := range q {
						values[k] = v
					}
					status, got := site.do("/api/v1/report/" + tw.report + "?" + values.Encode())
					if o.code != 0 {
						if status != http.StatusUnprocessableEntity || !strings.Contains(o.stderr, errorOf(t, got)) {
							t.Fatalf("status %d, %.200s, where hone fails with %s", status, got, o.stderr)
						}
						return
					}
					if tw.command == "list" {
						// The server looks for source in fewer places, see srcfind.Config.
						missing := regexp.MustCompile(`(?m)^ Error: .*`)
						got, o.stdout = missing.ReplaceAllString(got, " Error"), missing.ReplaceAllString(o.stdout, " Error")
					}
					if got != o.stdout {
						t.Fatalf("other text than %s\n%v", strings.Join(args, " "), differs(got, o.stdout))
					}
					if query.Has("normalize") {
						// Views scale the base, as flame graphs do, and hone pprof scales the
						// rest, as go tool pprof does. See TestFiguresOfOneComparison.
						return
					}
					if tw.ofJSON == nil || tw.report == "tags" && query.Has("mean") { // which tags print without shares
						return
					}
					q.Set("format", "json")
					q.Set("limit", "0")
					if tw.report == "graph" {
						if n > 1 {
							return // the layout takes its time
						}
						q.Del("limit")
					}
					var answer struct{ Report json.RawMessage }
					if err := json.Unmarshal([]byte(site.report(tw.report, q)), &answer); err != nil {
						t.Fatal(err)
					}
					if got, want := tw.ofJSON(t, answer.Report), tw.ofText(o.stdout); !slices.Equal(got, want) {
						t.Fatalf("%d figures in JSON, %d in text; %v", len(got), len(want),
							differs(strings.Join(got, "\n"), strings.Join(want, "\n")))
					}
				})
			}
		}
	}
}

// differs tells where two texts part.
func differs(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

func errorOf(t *testing.T, body string) string {
	t.Helper()
	var e struct{ Error struct{ Message string } }
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error.Message == "" {
		t.Fatalf("no error: %.200s", body)
	}
	return e.Error.Message
}

// TestUIDiff checks that comparisons are those of hone diff, and flame graphs
// those of hone flame.
func TestUIDiff(t *testing.T) {
	base, head := testdata("cpu.wordcount-v1.pb.gz"), testdata("cpu.wordcount-v2.pb.gz")
	more := testdata("cpu.wordcount-v1-again.pb.gz")
	site := newUISite(t, false, "-base", base, "-base", more, head)
	for _, test := range [][2]string{{"", ""}, {"normalize=1&sort=cum", "-normalize -cum"}, {"focus=main&nodecount=5&granularity=lines", "-focus=main -nodecount=5 -lines"}} {
		q, _ := url.ParseQuery(test[0])
		for format, flag := range map[string]string{"text": "", "csv": "-csv"} {
			q.Set("format", format)
			args := append(strings.Fields("diff "+test[1]+" "+flag), base+","+more, head)
			if got, want := site.report("diff", q), succeed(t, args...); got != want {
				t.Errorf("%s: %v", strings.Join(args, " "), differs(got, want))
			}
		}
	}
	one := newUISite(t, false, "-base", base, head)
	for query, flags := range map[string]string{"": "", "inverted=1&focus=main": "-inverted -focus=main", "collapse=1&normalize=1&noinlines=1": "-collapse -normalize -noinlines"} {
		q, _ := url.ParseQuery(query + "&format=folded")
		args := append(strings.Fields("flame -folded "+flags), "-base", base, head)
		if got, want := one.report("flame", q), succeed(t, args...); got != want {
			t.Errorf("%s: %v", strings.Join(args, " "), differs(got, want))
		}
	}
}

func TestUISources(t *testing.T) {
	a, b := testdata("cpu.generics.pb.gz"), testdata("cpu.inlining.pb.gz")
	both := newUISite(t, false, a, b)
	if got := both.names(); !slices.Equal(got, []string{"cpu.generics.pb.gz and 1 more", "cpu.generics.pb.gz", "cpu.inlining.pb.gz"}) {
		t.Errorf("listed are %q", got)
	}
	if both.list[0].Merged != 2 || both.list[0].State != "ready" || both.list[1].State != "waiting" {
		t.Errorf("%+v", both.list)
	}
	// A link to one of them holds for any server that has it.
	alone := newUISite(t, false, b)
	id := alone.list[0].ID
	if got, want := both.get("/api/v1/report/top?format=text&profile="+id), alone.report("top", url.Values{"format": {"text"}}); got != want {
		t.Error("the same profile looks otherwise on another server")
	}
	if again := newUISite(t, false, b); again.list[0].ID != id {
		t.Error("the id changes between runs")
	}
	sum := newUISite(t, false, a, b).list[0].ID
	if sum != both.list[0].ID {
		t.Error("the id of a sum changes between runs")
	}
	// Files of the same name are told apart by their ids.
	for _, p := range both.list {
		both.get("/api/v1/profiles/" + p.ID)
	}

	// What can't be added up is listed all the same.
	heap := testdata("heap.gc.pb.gz")
	mixed := newUISite(t, false, a, heap)
	if got := mixed.names(); !slices.Equal(got, []string{"cpu.generics.pb.gz", "heap.gc.pb.gz"}) {
		t.Errorf("listed are %q", got)
	}
	if got := mixed.list[1].Sources; !slices.Equal(got, []string{heap}) {
		t.Errorf("the heap profile is of %q", got)
	}
	if len(mixed.start["profile"]) != 1 || len(mixed.start["base"]) != 0 {
		t.Errorf("it starts with %v", mixed.start)
	}

	dir := t.TempDir()
	copyTo := func(from, to string) {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, to), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	copyTo(a, "cpu")
	copyTo(testdata("cpu.uncompressed.pb"), "sub/plain")
	copyTo(testdata("goroutine.debug1.txt"), "sub/goroutines.txt")
	copyTo("doc.go", "README.md")
	copyTo(b, ".git/objects")
	copyTo(b, "a/b/c/too-deep")
	os.Symlink("/dev/zero", filepath.Join(dir, "endless"))
	os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644)
	site := newUISite(t, false, dir)
	if got := site.names(); !slices.Equal(got, []string{"cpu", "sub/goroutines.txt", "sub/plain"}) {
		t.Errorf("in the directory are %q", got)
	}
	site.report("top", nil)
	// A file that only looks like a profile is listed, and another is shown.
	if err := os.WriteFile(filepath.Join(dir, "aaa"), []byte("goroutine profile: total -\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	site = newUISite(t, false, dir)
	if got := site.list; len(got) != 4 || got[0].Name != "aaa" || site.start.Get("profile") != got[1].ID || got[1].State != "ready" || got[2].State != "waiting" {
		t.Errorf("%+v, of which %v is shown", got, site.start)
	}
	site.report("top", nil)

	for _, pattern := range []string{"*.pb.gz", "*.pb", "*.txt"} {
		files, _ := filepath.Glob(testdata(pattern))
		for _, file := range files {
			if !looksLikeProfile(file) {
				t.Errorf("%s does not look like a profile", file)
			}
		}
	}

	nothing := newUISite(t, false)
	if len(nothing.list) != 0 || len(nothing.start) != 0 {
		t.Errorf("%+v, %v", nothing.list, nothing.start)
	}
	nothing.get("/")

	options := newUISite(t, false, "-focus=main", "-cum", "-sample_index=samples", "-source_path=/x", a)
	if got := options.start.Encode(); got != "focus=main&profile="+options.list[0].ID+"&sample_index=samples&sort=cum" {
		t.Errorf("it starts with %s", got)
	}
	baseHead := newUISite(t, false, "-diff_base", a, b)
	if len(baseHead.start["profile"]) != 1 || len(baseHead.start["base"]) != 1 || baseHead.start.Get("base") == baseHead.start.Get("profile") {
		t.Errorf("it starts with %v", baseHead.start)
	}
}

// TestUIFetch checks that what a service is asked for once is not asked for
// again when it is looked at alone.
func TestUIFetch(t *testing.T) {
	requests := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.ServeFile(w, r, testdata("cpu.generics.pb.gz"))
	}))
	defer srv.Close()
	site := newUISite(t, false, strings.Replace(srv.URL, "://", "://user:secret@", 1)+"/p", testdata("cpu.inlining.pb.gz"))
	for _, p := range site.list {
		site.get("/api/v1/report/top?profile=" + p.ID)
		if strings.Contains(p.Name, "secret") {
			t.Errorf("the password is shown: %s", p.Name)
		}
	}
	if requests != 1 || len(site.list) != 3 {
		t.Errorf("%d requests for %d profiles", requests, len(site.list))
	}
	// What can't be loaded is listed beside the others, and tells why.
	site = newUISite(t, false, srv.URL+"/p", "nosuch.pb.gz", testdata("cpu.inlining.pb.gz"))
	if got := site.list; len(got) != 4 || got[0].Merged != 2 || got[2].Name != "nosuch.pb.gz" || got[2].State != "waiting" {
		t.Errorf("%+v", got)
	}
	if status, body := site.do("/api/v1/profiles/" + site.list[2].ID); status != http.StatusUnprocessableEntity || !strings.Contains(body, "nosuch.pb.gz") {
		t.Errorf("%d, %s", status, body)
	}
	site = newUISite(t, false, "-base", srv.URL+"/p", srv.URL+"/p", "nosuch.pb.gz", testdata("cpu.inlining.pb.gz"))
	if got := site.start; len(got["profile"]) != 2 || len(got["base"]) != 1 {
		t.Errorf("it starts with %v", got)
	}
}

// startUI runs a command that serves until ctx is done, and returns its address.
func startUI(t *testing.T, ctx context.Context, env map[string]string, args ...string) (page string, wait func() outcome) {
	t.Helper()
	var stdout, stderr sharedBuffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: func(name string) string { return env[name] }}
	done := make(chan int, 1)
	go func() { done <- exitCode(ctx, a, args) }()
	text := func(b *sharedBuffer) string {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.b.String()
	}
	wait = func() outcome {
		select {
		case code := <-done:
			return outcome{code, text(&stdout), text(&stderr)}
		case <-time.After(time.Minute):
			t.Fatal("it does not end")
			panic("unreachable")
		}
	}
	for range 6000 {
		if m := regexp.MustCompile(`Serving on (\S+); \^C ends it\n`).FindStringSubmatch(text(&stdout)); m != nil {
			return m[1], wait
		}
		if len(done) > 0 {
			t.Fatalf("%+v", wait())
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it does not start")
	return "", nil
}

func TestUIServes(t *testing.T) {
	file := testdata("cpu.generics.pb.gz")
	for _, args := range [][]string{
		{"ui", "-no_browser", "-view=top", "-focus=main", file},
		{"ui", "-no_browser"},
		{"pprof", "-http=:0", "-no_browser", "-focus=main", file},
		{"pprof", "-http=localhost:", "-no_browser", file},
		{"pprof", "-http=127.0.0.1", "-no_browser", file},
		{"ui", "-no_browser", "-base", file, testdata("cpu.method-values.pb.gz")},
		{"ui", "-no_browser", "-view=top", "-base", file, file},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			page, wait := startUI(t, ctx, nil, args...)
			u, err := url.Parse(page)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(args, "-focus=main") && u.Query().Get("focus") != "main" || slices.Contains(args, "-view=top") && u.Path != "/top" {
				t.Errorf("the page is %s", page)
			}
			if compared := slices.Contains(args, "-base") && !slices.Contains(args, "-view=top"); compared != (u.Path == "/diff") {
				t.Errorf("the page is %s", page)
			}
			r, err := http.Get(page)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if text, _ := io.ReadAll(r.Body); r.StatusCode != 200 || !bytes.Contains(text, []byte("<script")) {
				t.Errorf("%s: %.200s", r.Status, text)
			}
			_, port, _ := net.SplitHostPort(u.Host)
			hone(t, "ui", "-no_browser", "-http="+u.Hostname()+":"+port, file).failsWith(t, exitFailure, "in use", "-http=")
			cancel()
			if o := wait(); o.code != exitOK || strings.Contains(o.stderr, "hone:") {
				t.Errorf("it ended with %d: %s", o.code, o.stderr)
			}
		})
	}
}

// TestUIBrowser checks that the page is opened, by the program of the user's choice.
func TestUIBrowser(t *testing.T) {
	dir := t.TempDir()
	browser, opened := filepath.Join(dir, "browser"), filepath.Join(dir, "opened")
	if err := os.WriteFile(browser, []byte("#!/bin/sh\nprintf %s \"$1\" >"+opened+".new\nmv "+opened+".new "+opened+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	page, wait := startUI(t, ctx, map[string]string{"BROWSER": browser}, "ui", testdata("cpu.generics.pb.gz"))
	var got []byte
	for range 6000 {
		if got, _ = os.ReadFile(opened); len(got) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if string(got) != page {
		t.Errorf("the browser opened %q, want %q", got, page)
	}
	cancel()
	wait()
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	_, wait = startUI(t, ctx, nil, "ui", testdata("cpu.generics.pb.gz"))
	cancel()
	if o := wait(); o.code != exitOK || !strings.Contains(o.stderr, "Can't start a browser") {
		t.Errorf("without a screen: %d, %s", o.code, o.stderr)
	}
}

func TestUIErrors(t *testing.T) {
	good := testdata("cpu.generics.pb.gz")
	empty := t.TempDir()
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"ui -no_browser nosuch.pb.gz", exitFailure, "nosuch.pb.gz"},
		{"ui -no_browser ui.go", exitFailure, "ui.go"},
		{"ui -no_browser -base nosuch.pb.gz " + good, exitFailure, "nosuch.pb.gz"},
		{"pprof -no_browser -http=: nosuch.pb.gz", exitFailure, "nosuch.pb.gz"},
		{"ui -no_browser " + empty, exitFailure, "no profiles"},
		{"ui -no_browser -http=nosuch.invalid:0 " + good, exitFailure, "-http"},
		{"ui -http=localhost:http2000 " + good, exitUsage, "invalid port"},
		{"ui -http=localhost:99999 " + good, exitUsage, "invalid port"},
		{"ui -http=a:b:c " + good, exitUsage, "HOST:PORT"},
		{"pprof -http=a:b:c " + good, exitUsage, "HOST:PORT"},
		{"pprof -http=:0", exitUsage, "no profile source"},
		{"ui -view=map " + good, exitUsage, "flame, top"},
		{"ui -o x " + good, exitUsage, "-o"},
		{"ui -json " + good, exitUsage, "-json"},
		{"ui -normalize " + good, exitUsage, "base"},
	} {
		t.Run(test.args, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var stdout bytes.Buffer
			var stderr sharedBuffer
			a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }}
			code := exitCode(ctx, a, strings.Fields(test.args))
			outcome{code, stdout.String(), stderr.b.String()}.failsWith(t, test.code, test.want)
		})
	}
}

func TestSplitHTTP(t *testing.T) {
	for value, want := range map[string][2]string{
		":": {"localhost", "0"}, ":0": {"localhost", "0"}, ":8080": {"localhost", "8080"}, "8080": {"localhost", "8080"},
		"localhost": {"localhost", "0"}, "localhost:": {"localhost", "0"}, "127.0.0.1:80": {"127.0.0.1", "80"},
		"[::1]:80": {"::1", "80"}, "::1": {"::1", "0"}, "[::1]": {"::1", "0"}, "0.0.0.0:1": {"0.0.0.0", "1"}, "box.lan:1": {"box.lan", "1"},
	} {
		if host, port, err := splitHTTP(value); host != want[0] || port != want[1] || err != nil {
			t.Errorf("-http=%s is %q, %q, %v", value, host, port, err)
		}
	}
}

func TestReachable(t *testing.T) {
	addr := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 80} }
	for _, test := range []struct {
		host, ip           string
		first              string
		anyAddress, public bool
	}{
		{"localhost", "127.0.0.1", "localhost:80", false, false},
		{"::1", "::1", "[::1]:80", false, false},
		{"box.lan", "192.168.1.2", "box.lan:80", false, true},
		{"0.0.0.0", "0.0.0.0", "localhost:80", true, true},
		{"::", "::", "localhost:80", true, true},
	} {
		r := server.Reachable(test.host, addr(test.ip))
		if r.Hosts[0] != test.first || r.AnyAddress != test.anyAddress || r.Public != test.public || !slices.Contains(r.Hosts, "127.0.0.1:80") {
			t.Errorf("%s: %+v", test.host, r)
		}
	}
}
