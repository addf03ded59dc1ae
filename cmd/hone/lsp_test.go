package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/lsp/lsptest"
)

// words is a file that the kept runs of testdata may have measured: Count starts where they say, and it has all lines that they have.
var words = `package words

import (
	"strings"
	"unicode"
)

// Count counts words.

func Count(s string) (n int) {
	notLetter := unicode.IsSpace
	for range strings.FieldsFuncSeq(s, func(r rune) bool { return notLetter(r) }) {
		n++
	}
	return n
}
` + strings.Repeat("\n", 120)

// editorOf starts hone lsp in the current folder, opens a file, and returns its client.
func editorOf(t *testing.T, env func(string) string, args ...string) (c *lsptest.Client, doc map[string]any) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var stderr sharedBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- exitCode(context.WithoutCancel(t.Context()), &app{stdin: fromClient, stdout: toClient, stderr: &stderr, getenv: env}, append([]string{"lsp"}, args...))
		toClient.Close()
	}()
	c = lsptest.New(t, fromServer, toServer)
	c.Answer = func(string, json.RawMessage) any { return map[string]bool{"success": true} }
	t.Cleanup(func() {
		c.Call("shutdown", nil, nil)
		c.Notify("exit", nil)
		if code := <-ended; code != exitOK || stderr.b.Len() > 0 {
			t.Errorf("exit code %d\n%s", code, stderr.b.String())
		}
	})
	c.Call("initialize", map[string]any{"capabilities": json.RawMessage(`{"window": {"showDocument": {"support": true}}}`)}, nil)
	c.Notify("initialized", struct{}{})
	uri := (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, "words.go"))}).String()
	c.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": words}})
	return c, map[string]any{"textDocument": map[string]any{"uri": uri}}
}

type lens struct {
	Command struct {
		Title, Command string
		Arguments      []any
	}
}

// clicked runs a lens's command, and returns the page that it opens.
func clicked(t *testing.T, c *lsptest.Client, l lens) *url.URL {
	t.Helper()
	c.Call("workspace/executeCommand", map[string]any{"command": l.Command.Command, "arguments": l.Command.Arguments}, nil)
	var shown struct{ URI string }
	c.Notified("window/showDocument", &shown)
	page, err := url.Parse(shown.URI)
	if err != nil || page.Path != "/source" || page.Query().Get("fn") != "example.com/words.Count" {
		t.Fatalf("%v: %s", err, shown.URI)
	}
	return page
}

// TestLSP shows the newest run of a module, and opens it in the web UI.
func TestLSP(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/words\n\ngo 1.26\n"), 0o666),
		os.WriteFile(filepath.Join(dir, "words.go"), []byte(words), 0o666),
		os.CopyFS(filepath.Join(dir, ".hone", "runs"), os.DirFS("testdata/runs")),
		os.RemoveAll(filepath.Join(dir, ".hone", "runs", "20261121-174823-9f3c")),
	); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	c, doc := editorOf(t, os.Getenv)
	var lenses []lens
	c.Call("textDocument/codeLens", doc, &lenses)
	if len(lenses) != 1 || !strings.HasPrefix(lenses[0].Command.Title, "CPU 9") ||
		!strings.HasSuffix(lenses[0].Command.Title, " in Count/n=20-2 · run 20261121-093000-00bb (91bc04aa, uncommitted changes)") {
		t.Fatalf("%+v", lenses)
	}
	var hover struct{ Contents struct{ Value string } }
	doc["position"] = map[string]int{"line": 11, "character": 5}
	c.Call("textDocument/hover", doc, &hover)
	if text := hover.Contents.Value; !strings.HasPrefix(text, "CPU: ") || !strings.Contains(text, "\nCalled by ") {
		t.Errorf("hover:\n%s", text)
	}
	page := clicked(t, c, lenses[0])
	if got := page.Query().Get("profile"); got != "20261121-093000-00bb:Count/n=20-2/cpu" {
		t.Error(got)
	}
	for _, path := range []string{page.RequestURI(), "/api/v1/report/source?" + url.Values{"profile": {page.Query().Get("profile")}, "match": {"words.Count$"}, "format": {"text"}}.Encode()} {
		resp, err := http.Get("http://" + page.Host + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || strings.HasPrefix(path, "/api") && !strings.Contains(string(body), "notLetter := unicode.IsSpace") {
			t.Errorf("%s: %s %v\n%.2000s", path, resp.Status, err, body)
		}
	}
}

// TestLSPOfService shows the newest version of a service.
func TestLSPOfService(t *testing.T) {
	cpu, err := os.ReadFile("testdata/runs/20261121-093000-00bb/profiles/example.com%2Fwords@Count%2Fn=20-2/cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query().Get("q"); {
		case r.Header.Get("Authorization") != "Bearer secret":
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"error": "no token"}`)
		case r.URL.Path == "/api/v1/services" && q == `{service="shop"}`:
			io.WriteString(w, `{"services": [{"name": "shop", "versions": [{"version": "v2"}, {"version": "v1"}]}]}`)
		case r.URL.Path == "/api/v1/pprof" && q == `cpu{service="shop", version="v2"}`:
			w.Write(cpu)
		default:
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error": "no profiles"}`)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/words\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	c, doc := editorOf(t, func(name string) string { return map[string]string{"HONE_TOKEN": "secret"}[name] }, "-server", server.URL, "-service", "shop")
	var lenses []lens
	c.Call("textDocument/codeLens", doc, &lenses)
	if len(lenses) != 1 || !strings.HasSuffix(lenses[0].Command.Title, " self) · service shop (v2)") {
		t.Fatalf("%+v", lenses)
	}
	if page := clicked(t, c, lenses[0]); "http://"+page.Host != server.URL || !strings.HasPrefix(page.Query().Get("profile"), "sel:from=-1h&q=cpu%7B") {
		t.Errorf("%s", page)
	}
}

func TestLSPUsage(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "x.go"`: {"x.go"},
		"invalid -min 2":             {"-min", "2"},
		"-server needs -service":     {"-server", "http://localhost"},
	} {
		if o := hone(t, append([]string{"lsp"}, args...)...); o.code != exitUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("hone lsp %q: exit code %d, want %q:\n%s", args, o.code, want, o.stderr)
		}
	}
	if o := hone(t, "lsp"); o.code != exitFailure || !strings.Contains(o.stderr, "the client left without shutdown") {
		t.Errorf("exit code %d:\n%s", o.code, o.stderr)
	}
}
