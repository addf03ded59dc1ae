package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/lsp/lsptest"
	"github.com/hone-go/hone/internal/tune"
)

const slow = `package m

import "regexp"

// Valid checks a name.
func Valid(name string) bool {
	return regexp.MustCompile("^[a-zä]+$").MatchString(name)
}
`

const fast = `package m

import "regexp"

var valid = regexp.MustCompile("^[a-zä]+$")

// Valid checks a name.
func Valid(name string) bool {
	return valid.MatchString(name)
}
`

// fakeSource has one measurement, which test change.
type fakeSource struct {
	mu    sync.Mutex
	stamp string
	m     *Measurement
	loads int
}

func (f *fakeSource) Stamp(string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stamp
}

func (f *fakeSource) Load(_ context.Context, _ string, s Settings) (*Measurement, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loads++
	if f.m == nil {
		return nil, errors.New("there are no runs: \x1b[31mhone bench records one")
	}
	m := *f.m
	if s.Service != "" {
		m.Name = "service " + s.Service
	}
	return &m, nil
}

func (f *fakeSource) Page(_ context.Context, _, profile, function string) (string, error) {
	return "http://localhost/?" + profile + "&" + function, nil
}

// A fixture is a module with a file, its costs and a finding, and a client of a server.
type fixture struct {
	*lsptest.Client
	t         testing.TB
	dir, file string
	source    *fakeSource
	ended     chan error
	log       *strings.Builder
}

// all is what the usual client of tests can do.
const all = `{
	"window": {"workDoneProgress": true, "showDocument": {"support": true}},
	"workspace": {"codeLens": {"refreshSupport": true}, "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create"]}},
	"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}, "codeAction": {"codeActionLiteralSupport": {}, "disabledSupport": true}}
}`

func start(t testing.TB, capabilities string, files map[string]string) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, dir: dir, file: filepath.Join(dir, "m.go"), source: &fakeSource{stamp: "1"}, ended: make(chan error, 1), log: new(strings.Builder)}
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "m.go": slow} {
		if _, ok := files[name]; !ok {
			f.write(name, text)
		}
	}
	for name, text := range files {
		f.write(name, text)
	}
	valid := at2("example.com/m.Valid", f.file, 7, 6)
	f.source.m = &Measurement{Name: "run 20261121-093000-00bb", Version: "91bc04aa", Taken: time.Now().Add(time.Hour), Kind: "benchmark", Profiles: []Profile{{
		Input: advice.Input{Subject: "Valid-2", Kind: "cpu", Profile: cpuProfile(
			stack{75, []frameAt{at2("regexp.MustCompile", "/go/regexp.go", 1, 1), valid, at2("example.com/m.BenchmarkValid", dir+"/m_test.go", 9, 7)}},
			stack{25, []frameAt{at2("runtime.mallocgc", "/go/malloc.go", 1, 1)}})},
		ID: "20261121-093000-00bb:Valid/cpu",
	}}}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var mu sync.Mutex
	go func() {
		f.ended <- Serve(t.Context(), fromClient, toClient, Config{Source: f.source, Version: "v1", Dir: dir, Default: DefaultSettings(), Log: func(s string) {
			mu.Lock()
			defer mu.Unlock()
			f.log.WriteString(s + "\n")
		}})
		toClient.Close()
		fromClient.Close()
	}()
	f.Client = lsptest.New(t, fromServer, toServer)
	f.Client.Answer = func(method string, _ json.RawMessage) any {
		if method == "window/showDocument" {
			return map[string]bool{"success": true}
		}
		return nil
	}
	if capabilities != "" {
		f.Call("initialize", map[string]any{"processId": nil, "rootUri": uriOf(dir), "capabilities": json.RawMessage(capabilities)}, nil)
		f.Notify("initialized", struct{}{})
	}
	return f
}

func (f *fixture) write(name, text string) {
	f.t.Helper()
	name = filepath.Join(f.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		f.t.Fatal(err)
	}
}

// advise keeps a finding with its rewrite.
func (f *fixture) advise() {
	f.t.Helper()
	found := advice.Finding{
		ID: "regexp-per-call-1", Rule: "regexp-per-call", Class: advice.Safe, State: advice.Bounded, Title: "compiles a \x1b[31mregexp per call", Why: "move it",
		Package: "example.com/m", Function: "Valid", File: f.file, Line: 7, Column: 9, Text: `return regexp.MustCompile("^[a-zä]+$").MatchString(name)`,
		Evidence: advice.Evidence{Subject: "Valid-2", CPU: &advice.Share{Value: 75, Unit: "nanoseconds", Share: 0.75, Samples: 75}, Compiler: []string{"name does not escape"}},
		Fix:      &advice.Fix{Files: []advice.FileChange{{File: f.file, Before: []byte(slow), After: []byte(fast)}}},
	}
	store := tune.Store{Dir: filepath.Join(f.dir, ".hone", "advice")}
	if err := store.Keep(&advice.Report{Findings: []advice.Finding{found}}, nil); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) open(text string) map[string]any {
	f.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uriOf(f.file), "languageId": "go", "version": 1, "text": text}})
	return f.doc()
}

func (f *fixture) doc() map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": uriOf(f.file)}}
}

func (f *fixture) change(version int, changes ...map[string]any) {
	f.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uriOf(f.file), "version": version}, "contentChanges": changes})
}

// leave ends the session, and checks how the server ends.
func (f *fixture) leave() {
	f.t.Helper()
	f.Call("shutdown", nil, nil)
	f.Notify("exit", nil)
	if err := <-f.ended; err != nil {
		f.t.Error(err)
	}
}

func (f *fixture) hover(line, character int) string {
	f.t.Helper()
	p := f.doc()
	p["position"] = map[string]any{"line": line, "character": character}
	var h *hover
	f.Call("textDocument/hover", p, &h)
	if h == nil {
		return ""
	}
	return h.Contents.Value
}

func (f *fixture) actions(line int, only ...string) (all []codeAction) {
	f.t.Helper()
	p := f.doc()
	p["range"] = textRange{position{uint32(line), 0}, position{uint32(line), 5}}
	p["context"] = map[string]any{"diagnostics": []any{}, "only": only}
	f.Call("textDocument/codeAction", p, &all)
	return all
}

// applied is a text after the edits of a client.
func applied(text string, edits []textEdit) string {
	for _, e := range slices.Backward(edits) {
		t := newText(text)
		text = text[:t.offset(e.Range.Start, utf16Units)] + e.NewText + text[t.offset(e.Range.End, utf16Units):]
	}
	return text
}

// TestSession is what an editor shows, before and after edits.
func TestSession(t *testing.T) {
	f := start(t, all, nil)
	f.advise()
	doc := f.open(slow)
	var published publishParams
	f.Notified("textDocument/publishDiagnostics", &published)
	if len(published.Diagnostics) != 1 || published.Version != 1 {
		t.Fatalf("%+v", published)
	}
	d := published.Diagnostics[0]
	if d.Severity != severityInformation || d.Code != "regexp-per-call" || d.Range != (textRange{position{6, 1}, position{6, 57}}) ||
		!strings.HasPrefix(d.Message, "compiles a \uFFFD[31mregexp per call.\n") || !strings.Contains(d.Message, "move it") {
		t.Errorf("%+v", d)
	}
	var lenses []codeLens
	f.Call("textDocument/codeLens", doc, &lenses)
	if len(lenses) != 1 || lenses[0].Command.Title != "CPU 75 % in Valid-2 · run 20261121-093000-00bb (91bc04aa)" || lenses[0].Range.Start.Line != 5 {
		t.Fatalf("%+v", lenses)
	}
	want := "CPU: 75 %, 750ms of 1s\nMeasured in Valid-2\nCalled by m.BenchmarkValid (m_test.go:9, 100 %)\nrun 20261121-093000-00bb (91bc04aa)"
	if got := f.hover(6, 3); got != want+"\nCompiler: name does not escape\ncompiles a \uFFFD[31mregexp per call (class A): move it" {
		t.Errorf("hover:\n%s", got)
	}
	if got := f.hover(5, 3); got != want {
		t.Errorf("hover of the function:\n%s", got)
	}
	if got := f.hover(2, 3); got != "" {
		t.Errorf("hover of an import: %s", got)
	}

	// Lines above move everything.
	f.change(2, map[string]any{"range": textRange{position{3, 0}, position{3, 0}}, "text": "// 𝄞\n"})
	f.Notified("textDocument/publishDiagnostics", &published)
	if published.Version != 2 || published.Diagnostics[0].Range.Start.Line != 7 {
		t.Errorf("%+v", published)
	}
	f.Call("textDocument/codeLens", doc, &lenses)
	if lenses[0].Range.Start.Line != 6 || strings.Contains(lenses[0].Command.Title, beforeEdits) {
		t.Errorf("%+v", lenses)
	}
	if got := f.hover(7, 3); !strings.HasPrefix(got, want) {
		t.Errorf("hover:\n%s", got)
	}
	if a := f.actions(7); len(a) != 2 || a[0].Disabled == nil || !strings.Contains(a[0].Disabled.Reason, "m.go has changed since the advice was given") || a[0].Edit != nil {
		t.Errorf("the rewrite of a changed file: %+v", a)
	}

	// In an edited function, nothing is known about lines, and the finding is gone.
	f.change(3, map[string]any{"range": textRange{position{7, 1}, position{7, 1}}, "text": "name += name\n\t"})
	f.Notified("textDocument/publishDiagnostics", &published)
	f.Call("textDocument/codeLens", doc, &lenses)
	if len(lenses) != 1 || !strings.HasSuffix(lenses[0].Command.Title, " · "+beforeEdits) {
		t.Errorf("%+v", lenses)
	}
	if got := f.hover(7, 1); !strings.Contains(got, "The function was measured before your edits") {
		t.Errorf("hover:\n%s", got)
	}

	// A new run.
	f.source.mu.Lock()
	f.source.stamp, f.source.m.Name = "2", "run 2"
	f.source.mu.Unlock()
	f.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{}})
	for !strings.Contains(lenses[0].Command.Title, "run 2 ") { // the old ones until it is loaded
		f.Call("textDocument/codeLens", doc, &lenses)
	}
	f.Notify("textDocument/didClose", doc)
	f.Wait("no diagnostics", func(m *lsptest.Message) bool {
		return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), `"diagnostics":[]`) && !strings.Contains(string(m.Params), `"version"`)
	})
	f.Call("textDocument/codeLens", doc, &lenses)
	if len(lenses) != 0 {
		t.Errorf("lenses of a closed file: %+v", lenses)
	}
	f.leave()
}

// TestActions applies a rewrite as an editor does.
func TestActions(t *testing.T) {
	f := start(t, all, nil)
	f.advise()
	f.open(slow)
	actions := f.actions(6)
	if len(actions) != 2 || actions[0].Kind != kindQuickFix || actions[1].Command.Command != commandAdvise {
		t.Fatalf("%+v", actions)
	}
	var edit struct{ DocumentChanges []documentEdit }
	text, err := json.Marshal(actions[0].Edit)
	if err == nil {
		err = json.Unmarshal(text, &edit)
	}
	if err != nil || len(edit.DocumentChanges) != 1 || *edit.DocumentChanges[0].Document.Version != 1 {
		t.Fatalf("%v %s", err, text)
	}
	if got := applied(slow, edit.DocumentChanges[0].Edits); got != fast {
		t.Errorf("applied:\n%s", got)
	}
	for _, c := range []struct {
		only []string
		want string
	}{
		{[]string{"quickfix"}, kindQuickFix}, {[]string{"refactor"}, kindRewrite}, {[]string{"refactor.rewrite"}, kindRewrite}, {[]string{"source"}, kindAdvise},
		{[]string{"refactor.extract"}, ""}, {[]string{"source.organizeImports"}, ""},
	} {
		var kinds []string
		for _, a := range f.actions(6, c.only...) {
			kinds = append(kinds, a.Kind)
		}
		if got := strings.Join(kinds, " "); got != c.want {
			t.Errorf("only %v: %s, want %s", c.only, got, c.want)
		}
	}
	if a := f.actions(1); len(a) != 1 || a[0].Kind != kindAdvise {
		t.Errorf("elsewhere: %+v", a)
	}
	f.leave()
}

// TestSeveralFiles: a rewrite of files, of which one is open, one isn't, and one is new. All are as they were, or there is no edit.
func TestSeveralFiles(t *testing.T) {
	f := start(t, all, map[string]string{"other.go": "package m\n"})
	work := new(workspace)
	work.add(f.dir)
	docs := newDocuments(utf8Units)
	mod, err := work.moduleOf(t.Context(), f.file)
	if err != nil {
		t.Fatal(err)
	}
	var open didOpenParams
	open.Document.URI, open.Document.Version, open.Document.Text = uriOf(f.file), 7, slow
	if _, err := docs.open(f.file, &open); err != nil {
		t.Fatal(err)
	}
	fix := func(change func(*advice.Fix)) *advice.Fix {
		fix := &advice.Fix{Files: []advice.FileChange{
			{File: f.file, Before: []byte(slow), After: []byte(fast)},
			{File: filepath.Join(f.dir, "other.go"), Before: []byte("package m\n"), After: []byte("package m\n\nvar x int\n")},
			{File: filepath.Join(f.dir, "new.go"), New: true, After: []byte("package m\n")},
		}}
		change(fix)
		return fix
	}
	ed := &editor{docs: docs, work: work, module: mod, encoding: utf8Units, versions: true, creates: true}
	edit, err := ed.edit(t.Context(), fix(func(*advice.Fix) {}))
	if err != nil || len(edit.DocumentChanges) != 4 {
		t.Fatalf("%v: %+v", err, edit)
	}
	text, err := json.Marshal(edit)
	for _, want := range []string{`m.go","version":7`, `other.go","version":null`, `{"kind":"create","uri":"` + uriOf(filepath.Join(f.dir, "new.go"))} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v: no %s in %s", err, want, text)
		}
	}
	outside := filepath.Join(t.TempDir(), "x.go")
	if err := errors.Join(os.WriteFile(outside, []byte("package x\n"), 0o666), os.Symlink(outside, filepath.Join(f.dir, "link.go"))); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*advice.Fix){
		"other.go has changed":       func(x *advice.Fix) { x.Files[1].Before = []byte("package m // was\n") },
		"which exists":               func(x *advice.Fix) { x.Files[2].File = filepath.Join(f.dir, "other.go") },
		"outside of the workspace":   func(x *advice.Fix) { x.Files[1].File = outside },
		"link.go":                    func(x *advice.Fix) { x.Files[1].File = filepath.Join(f.dir, "link.go") },
		"which this editor can't do": func(*advice.Fix) { ed.creates = false },
	} {
		ed.creates = true
		if edit, err := ed.edit(t.Context(), fix(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %+v, want %q", err, edit, want)
		}
	}
	f.leave()
}

// TestCommands opens a page, and refuses what no lens has said.
func TestCommands(t *testing.T) {
	f := start(t, all, nil)
	doc := f.open(slow)
	var lenses []codeLens
	f.Call("textDocument/codeLens", doc, &lenses)
	if len(lenses) != 1 {
		t.Fatalf("%+v", lenses)
	}
	f.Call("workspace/executeCommand", map[string]any{"command": lenses[0].Command.Command, "arguments": lenses[0].Command.Arguments}, nil)
	var shown struct{ URI string }
	f.Notified("window/showDocument", &shown)
	if shown.URI != "http://localhost/?20261121-093000-00bb:Valid/cpu&example.com/m.Valid" {
		t.Error(shown.URI)
	}
	for want, params := range map[string]string{
		"unknown command":             `{"command": "rm", "arguments": []}`,
		"takes one argument":          `{"command": "hone.open", "arguments": []}`,
		"invalid argument":            `{"command": "hone.open", "arguments": [7]}`,
		"unknown profile":             fmt.Sprintf(`{"command": "hone.open", "arguments": [{"uri": %q, "profile": "other"}]}`, uriOf(f.file)),
		"open a Go file":              `{"command": "hone.advise", "arguments": [{"uri": "file:///etc/passwd"}]}`,
		"open a Go file of":           `{"command": "hone.advise", "arguments": [{"uri": "http://example.com/m.go"}]}`,
		"invalid parameters: json":    `{"command": 7}`,
		"invalid parameters: json: c": `[]`,
	} {
		if err := f.Try("workspace/executeCommand", json.RawMessage(params), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", params, err, want)
		}
	}
	f.leave()
}

// TestAdvise makes advice in the background, with progress, and shows it.
func TestAdvise(t *testing.T) {
	f := start(t, all, nil)
	f.open(slow)
	advise := map[string]any{"command": commandAdvise, "arguments": []any{map[string]any{"uri": uriOf(f.file)}}}
	f.Call("workspace/executeCommand", advise, nil)
	f.Notified("window/workDoneProgress/create", nil)
	progress := func(kind string) string {
		m := f.Wait("progress", func(m *lsptest.Message) bool {
			return m.Method == "$/progress" && strings.Contains(string(m.Params), `"kind":"`+kind+`"`)
		})
		return string(m.Params)
	}
	if begin := progress("begin"); !strings.Contains(begin, "hone: advice on example.com/m") || !strings.Contains(begin, `"cancellable":true`) {
		t.Error(begin)
	}
	progress("report")
	if end := progress("end"); !strings.Contains(end, "1 finding in example.com/m") {
		t.Fatal(end)
	}
	f.Wait("the finding", func(m *lsptest.Message) bool {
		return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), "regexp-per-call")
	})
	if a := f.actions(6); len(a) != 2 || a[0].Edit == nil {
		t.Errorf("%+v", a)
	}

	// With the client's token, the request is the advice, and can be cancelled.
	f.write("m.go", slow+"\nvar _ = Valid\n") // what is known doesn't count
	advise["workDoneToken"] = "mine"
	id := f.Start("workspace/executeCommand", advise)
	progress("begin")
	if err := f.Try("workspace/executeCommand", advise, nil); err != nil && !strings.Contains(err.Error(), "already giving advice") {
		t.Error(err)
	}
	f.Notify("window/workDoneProgress/cancel", map[string]any{"token": "mine"})
	f.Notify("$/cancelRequest", map[string]any{"id": id})
	progress("end")
	var failed *lsptest.Error
	if err := f.Finish(id, nil); err != nil && !errors.As(err, &failed) { // or it was done before
		t.Error(err)
	}
	f.leave()
}

// TestLifecycle: what comes at the wrong time, in the wrong form, or from elsewhere is refused, and nothing ends the server.
func TestLifecycle(t *testing.T) {
	f := start(t, "", nil)
	code := func(method string, params any) int {
		t.Helper()
		var e *lsptest.Error
		if err := f.Try(method, params, nil); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		if e == nil {
			return 0
		}
		return e.Code
	}
	check := func(method string, params any, want int) {
		t.Helper()
		if got := code(method, params); got != want {
			t.Errorf("%s: code %d, want %d", method, got, want)
		}
	}
	check("textDocument/hover", f.doc(), codeNotInitialized)
	check("initialize", []int{1}, codeInvalidParams)
	check("initialize", map[string]any{"capabilities": json.RawMessage(`{"general": {"positionEncodings": ["utf-8", "utf-16"]}}`), "rootUri": uriOf(f.dir), "workspaceFolders": []any{
		map[string]any{"uri": uriOf(f.dir)}, map[string]any{"uri": "untitled:x"}, map[string]any{"uri": 7},
	}}, codeInvalidParams)
	var r initializeResult
	f.Call("initialize", map[string]any{"capabilities": json.RawMessage(`{"general": {"positionEncodings": ["utf-8", "utf-16"]}}`), "workspaceFolders": []any{
		map[string]any{"uri": uriOf(f.dir)}, map[string]any{"uri": "untitled:x"},
	}, "initializationOptions": map[string]any{"minShare": 7}}, &r)
	if r.Capabilities.PositionEncoding != "utf-8" {
		t.Error(r.Capabilities.PositionEncoding)
	}
	f.Notified("window/showMessage", nil) // about minShare
	check("initialize", map[string]any{"capabilities": struct{}{}}, codeInvalidRequest)
	f.Notify("initialized", struct{}{})
	check("textDocument/completion", f.doc(), codeNoMethod)
	check("textDocument/hover", "x", codeInvalidParams)
	check("textDocument/hover", json.RawMessage(`{"textDocument": {"uri": 1}}`), codeInvalidParams)
	check("textDocument/hover", json.RawMessage(`{"position": {"line": -1}}`), codeInvalidParams)
	check("textDocument/codeLens", json.RawMessage(strings.Repeat("[", 5000)+strings.Repeat("]", 5000)), codeInvalidParams)
	f.Notify("textDocument/didChange", 7)
	f.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uriOf(filepath.Join(filepath.Dir(f.dir), "x.go")), "text": slow}})
	f.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uriOf(filepath.Join(f.dir, "../../../etc/x.go")), "text": slow}})
	f.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"hone": map[string]any{"minShare": "x"}}})
	f.Notified("window/showMessage", nil)
	for _, raw := range []string{"{", "7", "null", `"x"`, "[]", `[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`, `{"id": {}, "method": "x"}`, `{"id": [1], "method": "x"}`, `{"method": 1}`} {
		f.Raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(raw), raw))
	}
	f.Raw(`Content-Length: 37` + "\r\n\r\n" + `{"jsonrpc":"2.0","id":99,"result":{}}`) // nothing was asked
	var lenses []codeLens
	f.Call("textDocument/codeLens", f.open(slow), &lenses)
	if len(lenses) != 1 {
		t.Errorf("%+v", lenses)
	}
	f.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"hone": map[string]any{"lenses": false}}})
	f.Call("textDocument/codeLens", f.doc(), &lenses)
	if len(lenses) != 0 {
		t.Errorf("%+v", lenses)
	}
	f.Call("shutdown", nil, nil)
	check("textDocument/hover", f.doc(), codeInvalidRequest)
	f.Notify("exit", nil)
	if err := <-f.ended; err != nil {
		t.Error(err)
	}
	other := start(t, all, nil)
	other.Close()
	if err := <-other.ended; !errors.Is(err, ErrNoShutdown) {
		t.Error(err)
	}
}

// TestLostMessage: after a message that is too large, hone doesn't know what files have, and shows nothing.
func TestLostMessage(t *testing.T) {
	f := start(t, all, nil)
	doc := f.open(slow)
	f.Raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", maxMessage+1, strings.Repeat("x", maxMessage+1)))
	var lenses []codeLens
	f.Call("textDocument/codeLens", doc, &lenses)
	if len(lenses) != 0 {
		t.Errorf("%+v", lenses)
	}
	f.Call("textDocument/codeLens", f.open(slow), &lenses)
	if len(lenses) != 1 {
		t.Errorf("%+v", lenses)
	}
	f.leave()
}

// TestNothingMeasured: without a run, editors get empty answers, and the log says what to do.
func TestNothingMeasured(t *testing.T) {
	f := start(t, "", nil)
	f.source.m = nil
	f.Call("initialize", map[string]any{"rootUri": uriOf(f.dir), "capabilities": json.RawMessage(all)}, nil)
	f.Notify("initialized", struct{}{})
	var lenses []codeLens
	f.Call("textDocument/codeLens", f.open(slow), &lenses)
	if got := f.hover(6, 3); len(lenses) != 0 || got != "" {
		t.Errorf("%+v %s", lenses, got)
	}
	var said messageParams
	f.Notified("window/logMessage", &said)
	if said.Message != "hone: there are no runs: \uFFFD[31mhone bench records one" {
		t.Error(said.Message)
	}
	f.leave()
}

// TestNamesAreData: names of profiles are neither syntax nor control characters for an editor.
func TestNamesAreData(t *testing.T) {
	const evil = "example.com/m.\x1b]0;x\a`![x](http://x)<img>\n::error::" + "\u202e"
	f := start(t, strings.Replace(all, `["markdown", "plaintext"]`, `["markdown"]`, 1), nil)
	f.source.mu.Lock()
	p := &f.source.m.Profiles[0]
	p.Subject = evil
	p.Profile = cpuProfile(stack{1, []frameAt{at2("example.com/m.Valid", f.file, 7, 6), at2(evil+strings.Repeat("x", 9999), evil, 1, 1)}})
	f.source.stamp = "2"
	f.source.mu.Unlock()
	doc := f.open(slow)
	var lenses []codeLens
	f.Call("textDocument/codeLens", doc, &lenses)
	for len(lenses) != 1 || !strings.Contains(lenses[0].Command.Title, "img") {
		f.Call("textDocument/codeLens", doc, &lenses)
	}
	shown := f.hover(6, 3)
	for _, bad := range []string{"\x1b", "\a", "::error::\n"} {
		if strings.Contains(shown, bad) || strings.Contains(lenses[0].Command.Title, bad) {
			t.Errorf("%q in\n%q\n%q", bad, lenses[0].Command.Title, shown)
		}
	}
	if strings.Contains(strings.ReplaceAll(shown, `\[`, ""), "[") || strings.Contains(strings.ReplaceAll(shown, `\<`, ""), "<") || len(shown) > 2000 || strings.Contains(lenses[0].Command.Title, "\n") {
		t.Errorf("%d bytes: %q", len(shown), shown)
	}
	f.leave()
}
