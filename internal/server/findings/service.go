// Package findings answers the query API's question what to change in the source that
// profiles are of. Advice takes seconds, a go command and memory: it is made beside the
// requests, one at a time, once for all who ask, and while somebody asks.
//
//	service     routes, parameters, answers
//	question    what advice is asked of: a run, a selection or open profiles
//	jobs        advice being made, and kept
package findings

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/server/reports"
)

// Config configures the service.
type Config struct {
	// Module is the module with source on this machine. If it is nil, requests fail.
	Module *advisor.Module
	// Examine finds advice in profiles and source; nil means Module.Examine.
	Examine func(context.Context, []advice.Input, advice.Options) (*advice.Report, error)
	// Keep writes findings to the module's folder, so that hone fix can apply them.
	Keep bool
	// Open returns the profile with an ID, as in package reports.
	Open func(ctx context.Context, id string, now time.Time) (reports.Opened, error)
	// Run returns a kept run by its name, or fs.ErrNotExist. It is nil if there are no
	// runs.
	Run func(ctx context.Context, name string) (*experiment.Run, error)

	Limits Limits
}

// Limits limit the cost of advice. Zeros mean the defaults.
type Limits struct {
	Time     time.Duration // time for one piece of advice: 2 minutes
	Packages int           // packages read for it, hottest first: 20
	Linger   time.Duration // a job continues without a waiting request: 15 seconds
	Fresh    time.Duration // advice on changing profiles stays current: 1 minute
}

func (l Limits) withDefaults() Limits {
	set := func(d *time.Duration, usual time.Duration) {
		if *d == 0 {
			*d = usual
		}
	}
	set(&l.Time, 2*time.Minute)
	set(&l.Linger, 15*time.Second)
	set(&l.Fresh, time.Minute)
	if l.Packages == 0 {
		l.Packages = 20
	}
	return l
}

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
	s := &Service{cfg: cfg, jobs: newJobs(ctx, srv, cfg.Limits)}
	srv.Handle("GET /api/v1/advice", auth.Read, s.advice)
	return s
}

var errNoSource = errors.New("this server has no source code: start hone ui in the module's folder, start hone serve with -module DIR, or run hone advise there")

const (
	usualWait = 30 // seconds
	mostWait  = 60
)

// advice answers with advice, or with its progress.
func (s *Service) advice(w http.ResponseWriter, r *http.Request) error {
	q, wait, err := readQuestion(r)
	if err != nil {
		return err
	}
	if s.cfg.Module == nil {
		return &server.Error{Status: http.StatusNotFound, Err: errNoSource}
	}
	if err := s.maySee(r.Context(), q); err != nil {
		return err
	}
	m, progress, err := s.jobs.ask(r.Context(), q.key(r.Context()), wait, func(ctx context.Context) (*work, error) { return s.open(ctx, q) })
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

// readQuestion reads the parameters of a request.
func readQuestion(r *http.Request) (q *question, wait time.Duration, err error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, 0, server.BadParam("", "the query can't be read: %w", err)
	}
	q, wait = new(question), usualWait*time.Second
	for name, vs := range values {
		switch {
		case name == "profile":
			q.profiles = vs
			continue
		case len(vs) > 1:
			return nil, 0, server.BadParam(name, "%s is given %d times", name, len(vs))
		case name == "run":
			q.run = vs[0]
		case name == "wait":
			n, err := strconv.Atoi(vs[0])
			if err != nil || n < 0 || n > mostWait {
				return nil, 0, server.BadParam("wait", "invalid wait %q: use 0 to %d seconds", vs[0], mostWait)
			}
			wait = time.Duration(n) * time.Second
		default:
			return nil, 0, server.BadParam(name, "unknown parameter %q", name)
		}
	}
	switch {
	case q.run == "" && len(q.profiles) == 0:
		return nil, 0, server.BadParam("profile", "profile or run is missing: give the id of a profile or of a run")
	case q.run != "" && len(q.profiles) > 0:
		return nil, 0, server.BadParam("run", "run and profile are both given: use one of them")
	case len(q.profiles) > maxProfiles:
		return nil, 0, server.BadParam("profile", "too many profiles: %d, the limit is %d", len(q.profiles), maxProfiles)
	}
	return q, wait, nil
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
		Report: *m.report, Findings: make([]api.Finding, len(found)), History: history[:min(len(history), maxHistory)],
		Module: s.cfg.Module.Dir, Run: m.run, Kept: m.kept, Time: m.at.UnixMilli(),
	}
	told.Unexamined = slices.Concat(m.report.Unexamined, unread)
	for i := range found {
		f := &found[i]
		told.Findings[i] = api.Finding{Finding: *f, Place: f.Place(s.cfg.Module.Dir), Costs: f.Costs(), Profile: m.shows[f.ID]}
	}
	return told, nil
}
