package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// A session is what a client and the server know of each other.
type session struct {
	conn   *conn
	work   background
	config *Config
	life   atomic.Int32 // created, initialized or shutDown
	client clientCapabilities

	docs         *documents
	workspace    workspace
	kept         kept
	measurements measurements
	advising     advising

	mu       sync.Mutex
	settings Settings

	publishing sync.Mutex
	published  map[string]int32 // versions, by path
}

// How far a session is.
const (
	created int32 = iota
	initialized
	shutDown
)

func (s *session) chosen() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

// initialize agrees with the client on what both can do.
func (s *session) initialize(p *initializeParams) (*initializeResult, error) {
	if s.life.Load() != created {
		return nil, failure(codeInvalidRequest, "initialize was sent before")
	}
	settings, err := s.settings.read(p.Options)
	if err != nil {
		s.tell(messageError, "hone: "+err.Error())
	}
	s.settings, s.client = settings, p.Client
	s.docs = newDocuments(agree(p.Client.General.PositionEncodings))
	for _, f := range p.Folders {
		s.addFolder(f.URI)
	}
	if p.Folders == nil {
		switch {
		case p.RootURI != nil:
			s.addFolder(*p.RootURI)
		case p.RootPath != nil && filepath.IsAbs(*p.RootPath):
			s.workspace.add(filepath.Clean(*p.RootPath))
		default:
			s.workspace.add(s.config.Dir)
		}
	}
	s.life.Store(initialized)
	var r initializeResult
	r.Server.Name, r.Server.Version = "hone", s.config.Version
	c := &r.Capabilities
	c.PositionEncoding = string(s.docs.encoding)
	c.Sync.OpenClose, c.Sync.Change, c.Sync.Save = true, syncIncremental, true
	c.Hover = true
	c.CodeAction.Kinds = []string{kindQuickFix, kindRewrite, kindAdvise}
	c.Execute.Commands = []string{commandOpen, commandAdvise}
	c.Workspace.Folders.Supported, c.Workspace.Folders.Changes = true, true
	return &r, nil
}

// addFolder adds a folder of the workspace. Others, such as those of remote file systems, don't exist for hone.
func (s *session) addFolder(uri string) {
	if dir, err := pathOf(uri); err == nil {
		s.workspace.add(dir)
	}
}

// begin is what a server does when the client is ready: it loads what requests will ask for.
func (s *session) begin() {
	if s.client.Workspace.Watched.Dynamic {
		s.work.run(s.watch)
	}
	for _, top := range s.workspace.tops() {
		if mod, err := readModule(s.work.ctx, top, top); err == nil {
			s.measurements.start(&s.work, mod.home, s.chosen())
		}
	}
}

// watch asks the client to tell of new runs and findings.
func (s *session) watch(ctx context.Context) {
	type watcher struct {
		Glob string `json:"globPattern"`
	}
	type registration struct {
		ID      string         `json:"id"`
		Method  string         `json:"method"`
		Options map[string]any `json:"registerOptions"`
	}
	watchers := []watcher{{"**/.hone/runs/*/run.json"}, {"**/.hone/advice/*.json"}}
	all := []registration{{"hone", "workspace/didChangeWatchedFiles", map[string]any{"watchers": watchers}}}
	if err := s.conn.call(ctx, "client/registerCapability", map[string]any{"registrations": all}, nil); err != nil && ctx.Err() == nil {
		s.config.Log("hone lsp: the editor doesn't watch files: " + err.Error())
	}
}

// An opened is an open file of the workspace.
type opened struct {
	doc    *document
	module *module
}

// at returns an open file of the workspace; nil for others, which editors also ask about.
func (s *session) at(ctx context.Context, uri string) *opened {
	path, err := pathOf(uri)
	if err != nil {
		return nil
	}
	doc := s.docs.at(path)
	if doc == nil {
		return nil
	}
	mod, err := s.workspace.moduleOf(ctx, path)
	if err != nil {
		return nil
	}
	return &opened{doc, mod}
}

// view returns the costs of an open file; nil if nothing was measured.
func (s *session) view(ctx context.Context, o *opened) (*view, error) {
	m, err := s.measurements.of(ctx, &s.work, o.module.home, s.chosen())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil //nolint:nilerr // changed has said why
	}
	return viewOf(m, m.recorded(o.module, o.doc), o.doc), nil
}

// findings returns the findings of an open file at their places.
func (s *session) findings(o *opened) []shown {
	if !s.chosen().Findings {
		return nil
	}
	found, err := s.kept.of(o.module, o.doc.path)
	if err != nil {
		s.config.Log("hone lsp: " + err.Error())
	}
	return place(o.doc, found)
}

func (s *session) lenses(ctx context.Context, p *documentParams) (any, error) {
	settings := s.chosen()
	o := s.at(ctx, p.Document.URI)
	if o == nil || !settings.Lenses {
		return []codeLens{}, nil
	}
	v, err := s.view(ctx, o)
	if v == nil {
		return []codeLens{}, err
	}
	return v.lenses(s.docs.encoding, settings.MinShare), nil
}

func (s *session) hover(ctx context.Context, p *hoverParams) (any, error) {
	o := s.at(ctx, p.Document.URI)
	if o == nil {
		return nil, nil
	}
	v, err := s.view(ctx, o)
	if err != nil {
		return nil, err
	}
	if v == nil { // findings may be known
		v = &view{doc: o.doc, recorded: &recordedFile{}}
	}
	formats := s.client.TextDocument.Hover.ContentFormat
	markdown := slices.Contains(formats, "markdown") && !slices.Contains(formats, "plaintext")
	if h := v.hover(o.doc.goLine(p.Position, s.docs.encoding), s.docs.encoding, markdown, s.findings(o)); h != nil {
		return h, nil
	}
	return nil, nil
}

func (s *session) actions(ctx context.Context, p *codeActionParams) (any, error) {
	actions := []codeAction{} // not null
	o := s.at(ctx, p.Document.URI)
	if o == nil || len(s.client.TextDocument.CodeAction.Literal) == 0 {
		return actions, nil
	}
	only := p.Context.Only
	ed := &editor{
		docs: s.docs, work: &s.workspace, module: o.module, encoding: s.docs.encoding, versions: s.client.Workspace.Edit.DocumentChanges,
		creates:  slices.Contains(s.client.Workspace.Edit.ResourceOperations, "create"),
		disabled: s.client.TextDocument.CodeAction.Disabled,
	}
	first, last := o.doc.goLine(p.Range.Start, ed.encoding), o.doc.goLine(p.Range.End, ed.encoding)
	for _, f := range s.findings(o) {
		at := o.doc.goLine(o.doc.text.position(f.from, ed.encoding), ed.encoding)
		if at < first || last < at {
			continue
		}
		if a := ed.action(ctx, o.doc, &f, only); a != nil {
			actions = append(actions, *a)
		}
	}
	if asks(only, kindAdvise) {
		c := adviseCommand(o.doc)
		actions = append(actions, codeAction{Title: c.Title, Kind: kindAdvise, Command: &c})
	}
	return actions, ctx.Err()
}

// publish sends the findings of an open file, unless those of its version were sent. again sends them anyway.
func (s *session) publish(ctx context.Context, path string, again bool) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	doc := s.docs.at(path)
	if doc == nil {
		return
	}
	if sent, ok := s.published[path]; ok && sent == doc.version && !again {
		return
	}
	mod, err := s.workspace.moduleOf(ctx, path)
	if err != nil {
		return
	}
	s.published[path] = doc.version
	s.conn.notify("textDocument/publishDiagnostics", diagnostics(doc, s.findings(&opened{doc, mod}), s.docs.encoding))
}

// refresh has the client ask for everything again.
func (s *session) refresh(ctx context.Context) {
	for _, doc := range s.docs.all() {
		s.publish(ctx, doc.path, true)
	}
	if s.client.Workspace.CodeLens.RefreshSupport {
		if err := s.conn.call(ctx, "workspace/codeLens/refresh", nil, nil); err != nil && ctx.Err() == nil {
			s.config.Log("hone lsp: workspace/codeLens/refresh: " + err.Error())
		}
	}
}

// withdraw removes the diagnostics of a file that is no longer shown.
func (s *session) withdraw(path, uri string) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	delete(s.published, path)
	s.conn.notify("textDocument/publishDiagnostics", map[string]any{"uri": uri, "diagnostics": []diagnostic{}})
}

// tell shows a message.
func (s *session) tell(kind int, text string) {
	s.conn.notify("window/showMessage", messageParams{kind, clean(text)})
}

// decode reads the parameters of a message.
func decode[T any](params json.RawMessage) (*T, error) {
	p := new(T)
	if len(params) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(params, p); err != nil {
		return nil, failure(codeInvalidParams, "invalid parameters: %v", err)
	}
	return p, nil
}

// errNotOpen: a command is about a file that the editor hasn't opened, or that is outside of the workspace.
var errNotOpen = errors.New("open a Go file of the workspace first")

// argument reads the argument of a command.
func argument[T any](p *executeParams) (*T, error) {
	if len(p.Arguments) != 1 {
		return nil, failure(codeInvalidParams, "%s takes one argument, not %d", p.Command, len(p.Arguments))
	}
	a := new(T)
	if err := json.Unmarshal(p.Arguments[0], a); err != nil {
		return nil, failure(codeInvalidParams, "invalid argument of %s: %v", p.Command, err)
	}
	return a, nil
}

func (s *session) execute(ctx context.Context, p *executeParams) (any, error) {
	switch p.Command {
	case commandOpen:
		a, err := argument[openArgument](p)
		if err != nil {
			return nil, err
		}
		return nil, s.open(ctx, a)
	case commandAdvise:
		a, err := argument[textDocument](p)
		if err != nil {
			return nil, err
		}
		return nil, s.advise(ctx, a.URI, p.Token)
	}
	return nil, failure(codeInvalidParams, "unknown command %.60q", p.Command)
}

// open shows a function in a browser.
func (s *session) open(ctx context.Context, a *openArgument) error {
	o := s.at(ctx, a.URI)
	if o == nil {
		return errNotOpen
	}
	m, err := s.measurements.of(ctx, &s.work, o.module.home, s.chosen())
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(m.Profiles, func(p Profile) bool { return p.ID == a.Profile }) {
		return fmt.Errorf("unknown profile %.200q: there is a newer measurement", a.Profile)
	}
	page, err := s.config.Source.Page(ctx, o.module.home, a.Profile, a.Function)
	if err != nil {
		return err
	}
	if !s.client.Window.ShowDocument.Support {
		s.conn.notify("window/showMessage", messageParams{messageInfo, "hone: " + page})
		return nil
	}
	s.work.run(func(ctx context.Context) { // the client may answer late
		var shown struct {
			Success bool `json:"success"`
		}
		err := s.conn.call(ctx, "window/showDocument", map[string]any{"uri": page, "external": true}, &shown)
		if (err != nil || !shown.Success) && ctx.Err() == nil {
			s.conn.notify("window/showMessage", messageParams{messageInfo, "hone: " + page})
		}
	})
	return nil
}
