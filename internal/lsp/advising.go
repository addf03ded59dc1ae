package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"sync"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/tune"
)

// advising is the advice that is being made: for one package at once, as it takes all processors.
type advising struct {
	mu     sync.Mutex
	token  string // of the progress, as JSON; "" if nothing runs
	cancel context.CancelFunc
	number int // of tokens that the server made
}

// begin reserves the place for advice with a progress token; nil makes one. ok is false if advice is being made.
func (a *advising) begin(ctx context.Context, token json.RawMessage) (_ context.Context, _ json.RawMessage, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != "" {
		return nil, nil, false
	}
	if token == nil {
		a.number++
		token = fmt.Appendf(nil, `"hone-%d"`, a.number)
	}
	ctx, cancel := context.WithCancel(ctx)
	a.token, a.cancel = string(token), cancel
	return ctx, token, true
}

func (a *advising) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancel()
	a.token = ""
}

// stop cancels the advice with a progress token.
func (a *advising) stop(token json.RawMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != "" && a.token == string(token) {
		a.cancel()
	}
}

// advise gives advice on the package of an open file. With the client's own progress token, the request ends with the advice; otherwise
// it ends at once, as some clients do nothing else meanwhile.
func (s *session) advise(ctx context.Context, uri string, token json.RawMessage) error {
	o := s.at(ctx, uri)
	if o == nil {
		return errNotOpen
	}
	m, err := s.measurements.of(ctx, &s.work, o.module.home, s.chosen())
	if err != nil {
		return err
	}
	own := validID(token)
	if !own {
		ctx, token = s.work.ctx, nil
	}
	ctx, token, ok := s.advising.begin(ctx, token)
	if !ok {
		return failure(codeFailed, "hone is already giving advice: wait for it, or cancel it")
	}
	if own {
		defer s.advising.end()
		return s.adviseNow(ctx, o, m, token)
	}
	s.work.run(func(context.Context) {
		defer s.advising.end()
		if s.client.Window.WorkDoneProgress {
			if s.conn.call(ctx, "window/workDoneProgress/create", map[string]any{"token": token}, nil) != nil {
				token = nil
			}
		} else {
			token = nil
		}
		if err := s.adviseNow(ctx, o, m, token); err != nil && ctx.Err() == nil {
			s.tell(messageError, "hone: "+err.Error())
		}
	})
	return nil
}

// adviseNow gives advice and shows it. token is that of the progress; nil for none.
func (s *session) adviseNow(ctx context.Context, o *opened, m *measured, token json.RawMessage) error {
	folder := path.Dir(o.module.rel(o.doc.path))
	pkg := o.module.packageOf(o.module.rel(o.doc.path))
	report := func(v progressValue) {
		if token != nil {
			s.conn.notify("$/progress", progressParams{token, v})
		}
	}
	report(progressValue{Kind: "begin", Title: "hone: advice on " + pkg, Cancellable: true})
	n, err := adviceOn(ctx, o.module, filepath.FromSlash(folder), m, s.config.Cache, func(stage string) { report(progressValue{Kind: "report", Message: stage}) })
	message := compare.Counted(n, "finding") + " in " + pkg
	switch {
	case ctx.Err() != nil:
		message = "cancelled"
	case err != nil:
		message = compare.Printable(err.Error())
	}
	report(progressValue{Kind: "end", Message: message})
	if err != nil {
		return err
	}
	if token == nil || n == 0 {
		s.tell(messageInfo, "hone: "+message)
	}
	s.work.run(s.refresh)
	return nil
}

// adviceOn makes the advice on a package, and keeps it. It returns the number of findings.
func adviceOn(ctx context.Context, mod *module, folder string, m *measured, cache string, stage func(string)) (int, error) {
	of := &advisor.Module{Dir: mod.real, Store: tune.Store{Dir: adviceOf(mod.home)}, Cache: cache}
	var inputs []advice.Input
	for _, p := range m.Profiles {
		inputs = append(inputs, p.Input)
	}
	report, err := of.Examine(ctx, inputs, advice.Options{Only: filepath.Join(mod.real, folder), Compiler: true, Stage: stage})
	if err != nil {
		return 0, err
	}
	if _, _, err := of.Mark(report.Findings); err != nil {
		return 0, err
	}
	return len(report.Shown()), of.Store.Show(report, m.Benchmarks)
}
