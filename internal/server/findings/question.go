package findings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/tune"
)

// maxProfiles limits the profiles that a question names.
const maxProfiles = 100

// A question names what to give advice on: a run, or profiles by their IDs.
type question struct {
	run      string
	profiles []string
}

// key returns a text that identifies a question and the services that its sender may see.
func (q *question) key(ctx context.Context) string {
	key := "run " + q.run
	if q.run == "" {
		key = "profile " + strings.Join(q.profiles, "\x00")
	}
	if p := auth.From(ctx); p != nil {
		key = p.Scope() + "\x00" + key
	}
	return key
}

// maySee returns an error if the principal is restricted to services, unless all profiles
// are in the store, which checks the restriction itself.
func (s *Service) maySee(ctx context.Context, q *question) error {
	if q.run == "" && !slices.ContainsFunc(q.profiles, func(id string) bool { return !isSelection(id) }) {
		return nil
	}
	return server.SeesAll(ctx)
}

func isSelection(id string) bool { return strings.HasPrefix(id, api.SelectionPrefix) }

// work is a question with the profiles that answer it.
type work struct {
	version    string // version of the profiles; advice on another version is outdated
	run        string
	profiles   []asked
	benchmarks map[string]tune.Benchmark
	stamp      func(*advice.Report) (string, time.Time)
	do         func(context.Context, *work, func(stage string)) (*made, error)
}

// asked is a profile to give advice on.
type asked struct {
	reports.Opened
	as advice.Input // without the profile
}

// An addition opens one more profile; its advice.Input says what it is of.
type addition = func(id string, as advice.Input) error

// open finds the profiles of a question. It may merge those of the store; it loads no
// others yet.
func (s *Service) open(ctx context.Context, q *question) (*work, error) {
	w := &work{run: cmp.Or(q.run, s.runOf(q.profiles)), stamp: s.stamp, do: s.make}
	now := time.Now()
	add := func(id string, as advice.Input) error {
		p, err := s.cfg.Open(ctx, id, now)
		if err == nil {
			as.Kind = advisor.Kind(as.Kind)
			w.profiles = append(w.profiles, asked{p, as})
			w.version += p.ID + p.Version + "\n"
		}
		return err
	}
	if w.run != "" {
		return w, s.openRun(ctx, w, add)
	}
	for _, id := range q.profiles {
		var err error
		if isSelection(id) {
			err = openSelection(id, now, add)
		} else {
			err = add(id, advice.Input{})
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// runOf returns the run to which all profiles belong; "" if there is none. Then the
// advice uses all profiles of the run: one shows what allocates, and another what that
// costs.
func (s *Service) runOf(ids []string) string {
	if s.cfg.Run == nil {
		return ""
	}
	run := ""
	for i, id := range ids {
		name, _, ok := strings.Cut(id, ":")
		if !ok || isSelection(id) || i > 0 && name != run {
			return ""
		}
		run = name
	}
	return run
}

func (s *Service) openRun(ctx context.Context, w *work, add addition) error {
	if s.cfg.Run == nil {
		return server.NotFound("this server has no kept runs")
	}
	run, err := s.cfg.Run(ctx, w.run)
	if err != nil {
		return &server.Error{Status: server.StatusOf(err), Param: "run", Err: err}
	}
	var subjects []advisor.Subject
	subjects, w.benchmarks = advisor.OfRun(run)
	w.run = run.ID
	for _, of := range subjects {
		if err := add(runs.ProfileID(run, of.ProfileFile), advice.Input{Subject: of.Name, Kind: of.Kind, OpTime: of.OpTime}); err != nil {
			return err
		}
	}
	if len(w.profiles) == 0 {
		return &server.Error{Status: http.StatusUnprocessableEntity, Param: "run", Err: fmt.Errorf("run %s has no profiles of time, memory or waiting: record them with hone bench -profile cpu,mem", run.ID)}
	}
	return nil
}

// openSelection opens a selection, and the same service's profiles of all other kinds
// that advice uses. For a single profile, it opens only that one.
func openSelection(id string, now time.Time, add addition) error {
	sel, err := api.ParseSelection(id, now)
	if err != nil {
		return server.BadParam("profile", "%w", err)
	}
	sel.Per = api.PerDefault // shares don't depend on it, and samples have to be counts
	var kind, service string
	var rest store.Selector
	for _, m := range sel.Selector {
		switch {
		case m.Name == store.LabelKind && m.Op == store.Equal:
			kind = m.Value
			continue
		case m.Name == store.LabelService && m.Op == store.Equal:
			service = m.Value
		}
		rest = append(rest, m)
	}
	subject := cmp.Or(service, rest.String())
	if err := add(sel.String(), advice.Input{Subject: subject, Kind: kind}); err != nil || sel.ID != (store.ID{}) || kind == "" {
		return err
	}
	for _, other := range advisor.ServiceKinds {
		m, err := store.NewMatcher(store.LabelKind, store.Equal, other)
		if other == kind {
			continue
		} else if err != nil {
			return err
		}
		of := *sel
		of.Selector, of.SampleType = append(slices.Clone(rest), m), ""
		var absent *server.Error
		if err := add(of.String(), advice.Input{Subject: subject, Kind: other}); err != nil && !(errors.As(err, &absent) && absent.Status == http.StatusNotFound) {
			return err
		}
	}
	return nil
}

// made is finished advice.
type made struct {
	report *advice.Report
	run    string
	shows  map[string]string // IDs of profiles by ID of finding
	kept   bool
	at     time.Time
}

// make loads the profiles of a question and examines them.
func (s *Service) make(ctx context.Context, w *work, stage func(string)) (*made, error) {
	var inputs []advice.Input
	for i, p := range w.profiles {
		if len(w.profiles) > 1 {
			stage(fmt.Sprintf("loading profile %d of %d", i+1, len(w.profiles)))
		}
		loaded, err := p.Load(ctx)
		if err != nil {
			return nil, err
		}
		in := p.as
		in.Profile = loaded
		inputs = append(inputs, in)
	}
	report, err := s.cfg.Examine(ctx, inputs, advice.Options{Compiler: true, Foreign: true, MaxPackages: s.cfg.Limits.Packages, Stage: stage})
	if err != nil {
		return nil, err
	}
	m := &made{report: report, run: w.run, shows: make(map[string]string), kept: s.cfg.Keep, at: time.Now()}
	if m.kept {
		if err := s.cfg.Module.Store.Show(report, w.benchmarks); err != nil {
			m.kept = false // the module's folder can't be written, but the findings are valid
		}
	}
	for i := range report.Findings {
		f := &report.Findings[i]
		m.shows[f.ID] = w.shows(f, inputs)
		if f.Fix != nil {
			f.Fix = &advice.Fix{File: f.Fix.File, Diff: f.Fix.Diff} // only hone fix needs whole files
		}
	}
	return m, nil
}

// shows returns the ID of the profile that shows a finding's cost; "" if none does.
func (w *work) shows(f *advice.Finding, inputs []advice.Input) string {
	e := &f.Evidence
	for _, by := range []struct {
		is           *advice.Share
		kind, column string
	}{{e.CPU, "cpu", "cpu"}, {e.Bytes, "mem", "alloc_space"}, {e.Objects, "mem", "alloc_objects"}, {e.Mutex, "mutex", "delay"}, {e.Block, "block", "delay"}} {
		if by.is == nil {
			continue
		}
		for i, in := range inputs {
			if in.Subject == e.Subject && (in.Kind == "" || in.Kind == by.kind) {
				if _, err := in.Profile.SampleIndex(by.column); err == nil {
					return w.profiles[i].ID
				}
			}
		}
	}
	return ""
}

// stamp returns a text that changes with the source of a report: the names, sizes and
// times of the files in its folders. changed is the time of the last change.
func (s *Service) stamp(report *advice.Report) (stamp string, changed time.Time) {
	h := fnv.New128a()
	for _, dir := range append([]string{s.cfg.Module.Dir}, report.Folders...) {
		entries, err := os.ReadDir(dir)
		fmt.Fprintln(h, dir, err)
		for _, e := range entries {
			if name := e.Name(); filepath.Ext(name) != ".go" && name != "go.mod" && name != "go.work" {
				continue
			}
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			fmt.Fprintln(h, e.Name(), info.Size(), info.ModTime().UnixNano())
			if info.ModTime().After(changed) {
				changed = info.ModTime()
			}
		}
	}
	return string(h.Sum(nil)), changed
}
