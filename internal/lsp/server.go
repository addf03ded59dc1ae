package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// A Config says what a server works with.
type Config struct {
	Source  Source
	Version string   // of hone
	Cache   string   // keeps advice, as in advisor.Module
	Dir     string   // the workspace of clients that name none
	Default Settings // of clients that choose nothing
	Log     func(string)
}

// ErrNoShutdown: the client left without asking the server to shut down.
var ErrNoShutdown = errors.New("the client left without shutdown")

// Serve answers a client until it leaves.
func Serve(ctx context.Context, in io.Reader, out io.Writer, c Config) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &session{
		conn: newConn(in, out, c.Log), work: background{ctx: ctx}, config: &c, settings: c.Default, published: make(map[string]int32),
		docs: newDocuments(utf16Units), kept: kept{homes: make(map[string]*keptIn)},
	}
	s.measurements = measurements{source: c.Source, homes: make(map[string]*loading), changed: func(home string) { s.loaded(ctx, home) }}
	err := s.conn.serve(ctx, s)
	cancel()
	s.work.all.Wait()
	if err == nil && s.life.Load() != shutDown {
		err = ErrNoShutdown
	}
	return err
}

// loaded shows a new measurement, or says why there is none.
func (s *session) loaded(ctx context.Context, home string) {
	s.measurements.mu.Lock()
	at := s.measurements.homes[home]
	s.measurements.mu.Unlock()
	if isDone(at.done) && at.err != nil && ctx.Err() == nil {
		s.conn.notify("window/logMessage", messageParams{messageInfo, "hone: " + clean(at.err.Error())})
	}
	s.refresh(ctx)
}

func (s *session) inOrder(method string) bool { return method == "initialize" || method == "shutdown" }

// lost forgets what is open: the message may have been about it.
func (s *session) lost(err error) {
	s.config.Log("hone lsp: " + err.Error() + ": open files are ignored until they are opened again")
	for _, uri := range s.docs.forget() {
		if path, err := pathOf(uri); err == nil {
			s.withdraw(path, uri)
		}
	}
}

// handle answers a message. Methods that are not in the protocol's part that hone has are errors, except for optional notifications.
func (s *session) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch {
	case method == "exit":
		return nil, errExit
	case s.life.Load() == created && method != "initialize":
		return nil, failure(codeNotInitialized, "send initialize first")
	case s.life.Load() == shutDown:
		return nil, failure(codeInvalidRequest, "the server is shut down: send exit")
	}
	if answer, known, err := s.answer(ctx, method, params); known {
		return answer, err
	}
	if known, err := s.notice(method, params); known {
		return nil, err
	}
	if len(method) > 2 && method[:2] == "$/" {
		return nil, failure(codeNoMethod, "%.100q is optional", method)
	}
	return nil, failure(codeNoMethod, "unknown method %.100q", method)
}

// with decodes parameters for a handler of requests.
func with[P any](ctx context.Context, params json.RawMessage, f func(context.Context, *P) (any, error)) (any, bool, error) {
	p, err := decode[P](params)
	if err != nil {
		return nil, true, err
	}
	answer, err := f(ctx, p)
	return answer, true, err
}

// answer handles requests.
func (s *session) answer(ctx context.Context, method string, params json.RawMessage) (answer any, known bool, err error) {
	switch method {
	case "initialize":
		return with(ctx, params, func(_ context.Context, p *initializeParams) (any, error) { return s.initialize(p) })
	case "shutdown":
		s.life.Store(shutDown)
		return nil, true, nil
	case "textDocument/codeLens":
		return with(ctx, params, s.lenses)
	case "textDocument/hover":
		return with(ctx, params, s.hover)
	case "textDocument/codeAction":
		return with(ctx, params, s.actions)
	case "workspace/executeCommand":
		return with(ctx, params, s.execute)
	}
	return nil, false, nil
}

// about decodes parameters for a handler of notifications.
func about[P any](params json.RawMessage, f func(*P) error) (bool, error) {
	p, err := decode[P](params)
	if err != nil {
		return true, err
	}
	return true, f(p)
}

// notice handles notifications.
func (s *session) notice(method string, params json.RawMessage) (known bool, err error) {
	switch method {
	case "initialized":
		s.begin()
		return true, nil
	case "textDocument/didOpen":
		return about(params, s.didOpen)
	case "textDocument/didChange":
		return about(params, s.didChange)
	case "textDocument/didSave", "workspace/didChangeWatchedFiles":
		s.work.run(s.refresh)
		return true, nil
	case "textDocument/didClose":
		return about(params, s.didClose)
	case "workspace/didChangeWorkspaceFolders":
		return about(params, s.didChangeFolders)
	case "workspace/didChangeConfiguration":
		return about(params, s.didChangeConfiguration)
	case "window/workDoneProgress/cancel":
		return about(params, func(p *progressParams) error { s.advising.stop(p.Token); return nil })
	}
	return slices.Contains([]string{"$/setTrace", "$/progress", "textDocument/willSave"}, method), nil
}

// didOpen takes a file of the workspace. Others are none of hone's business.
func (s *session) didOpen(p *didOpenParams) error {
	path, err := pathOf(p.Document.URI)
	if err != nil {
		return nil //nolint:nilerr // such as git:/file.go, an older text
	}
	if _, err := s.workspace.moduleOf(s.work.ctx, path); err != nil {
		return nil //nolint:nilerr // such as a file of the standard library
	}
	if _, err := s.docs.open(path, p); err != nil {
		return err
	}
	s.work.run(func(ctx context.Context) { s.publish(ctx, path, true) })
	return nil
}

func (s *session) didChange(p *didChangeParams) error {
	path, err := pathOf(p.Document.URI)
	if err != nil || s.docs.at(path) == nil {
		return nil //nolint:nilerr // it wasn't taken
	}
	doc, err := s.docs.change(path, p)
	if err != nil {
		s.withdraw(path, p.Document.URI)
		return err
	}
	s.work.run(func(ctx context.Context) { s.publish(ctx, doc.path, false) })
	return nil
}

func (s *session) didClose(p *documentParams) error {
	path, err := pathOf(p.Document.URI)
	if err != nil || s.docs.at(path) == nil {
		return nil //nolint:nilerr // it wasn't taken
	}
	s.docs.close(path)
	s.withdraw(path, p.Document.URI)
	return nil
}

func (s *session) didChangeFolders(p *foldersParams) error {
	for _, f := range p.Event.Removed {
		if dir, err := pathOf(f.URI); err == nil {
			s.workspace.remove(dir)
		}
	}
	for _, f := range p.Event.Added {
		s.addFolder(f.URI)
	}
	return nil
}

func (s *session) didChangeConfiguration(p *configurationParams) error {
	now, err := s.chosen().read(p.Settings)
	if err != nil {
		s.tell(messageError, "hone: "+err.Error())
		return nil
	}
	s.mu.Lock()
	s.settings = now
	s.mu.Unlock()
	s.work.run(s.refresh)
	return nil
}
