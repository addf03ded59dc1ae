// Package findings gives advice over the query API: what to change in the source of
// profiled programs. Advice takes seconds, a go command and memory. So jobs outside of
// requests compute it, one after another, once for all clients that ask for the same, and
// only as long as one of them waits.
//
//	config.go    what the service needs, and limits
//	question.go  what advice is asked for: a run, a selection or open profiles
//	work.go      the profiles that answer a question
//	made.go      advice on these profiles
//	jobs.go      advice in progress, and finished advice that is kept
//	service.go   the route and its answers
package findings

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/tune"
)

// Service gives advice.
type Service struct {
	cfg  Config
	jobs *jobs
}

// New adds the service to a server. When ctx ends, running jobs end.
func New(ctx context.Context, srv *server.Server, cfg Config) *Service {
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.Module != nil && cfg.Examine == nil {
		cfg.Examine = cfg.Module.Examine
	}
	s := &Service{cfg: cfg, jobs: newJobs(ctx, srv, &cfg)}
	srv.Handle("GET /api/v1/advice", auth.Read, s.advice)
	return s
}

var errNoSource = errors.New("this server has no source code: start hone ui in the module's folder, start hone serve with -module DIR, or run hone advise there")

// advice answers with advice, or with its progress.
func (s *Service) advice(w http.ResponseWriter, r *http.Request) error {
	q, wait, err := readQuestion(r)
	if err != nil {
		return err
	}
	if s.cfg.Module == nil {
		return &server.Error{Status: http.StatusNotFound, Err: errNoSource}
	}
	if err := q.maySee(r.Context()); err != nil {
		return err
	}
	m, progress, err := s.jobs.ask(r.Context(), q, wait)
	switch {
	case err != nil:
		return err
	case progress != nil:
		a, err := server.JSONAnswer(r.Context(), progress)
		if err != nil {
			return err
		}
		return a.Write(w, r, http.StatusAccepted, "no-store")
	}
	told, err := s.tell(m)
	if err != nil {
		return err
	}
	return server.WriteJSON(w, r, told)
}

// maxHistory limits the outcomes of earlier rewrites in an answer.
const maxHistory = 200

// tell returns finished advice with its current state: findings have the states that
// are in the history.
func (s *Service) tell(m *made) (*api.Advice, error) {
	found := slices.Clone(m.report.Findings)
	for i := range found {
		found[i].Caveats = slices.Clone(found[i].Caveats)
	}
	history, unread, err := s.cfg.Module.Mark(found)
	if err != nil {
		return nil, err
	}
	slices.Reverse(history)
	told := &api.Advice{
		Report: *m.report, Title: m.report.Title(), Findings: make([]api.Finding, len(found)), History: append([]tune.Result{}, history[:min(len(history), maxHistory)]...),
		Module: s.cfg.Module.Dir, Run: m.run, Kept: m.kept, Time: m.at.UnixMilli(),
	}
	told.Unexamined = slices.Concat(m.report.Unexamined, unread)
	for i := range found {
		f := &found[i]
		told.Findings[i] = api.Finding{Finding: *f, Place: f.Place(s.cfg.Module.Dir), Costs: f.Costs(), Profile: m.shows[f.ID]}
	}
	return told, nil
}
