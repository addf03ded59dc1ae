package findings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/tune"
)

// work is a question with the profiles that answer it.
type work struct {
	version    string // version of the profiles; advice on another version is outdated
	run        string
	profiles   []asked
	benchmarks map[string]tune.Benchmark
}

// asked is a profile to give advice on.
type asked struct {
	reports.Opened
	as        advice.Input // without the profile
	selection int          // which selection it belongs to, from 1; 0 for none
}

// An addition opens one more profile; its advice.Input says what it is of.
type addition = func(id string, as advice.Input) error

// open finds the profiles that answer a question. It may merge those of the store; it loads
// no others yet.
func (q *question) open(ctx context.Context, cfg *Config) (*work, error) {
	w := &work{run: cmp.Or(q.run, cfg.runOf(q.profiles))}
	now := time.Now()
	selection := 0
	add := func(id string, as advice.Input) error {
		p, err := cfg.Open(ctx, id, now)
		if err == nil {
			as.Kind = advisor.Kind(as.Kind)
			w.profiles = append(w.profiles, asked{p, as, selection})
			w.version += p.ID + p.Version + "\n"
		}
		return err
	}
	if w.run != "" {
		return w, cfg.openRun(ctx, w, add)
	}
	for i, id := range q.profiles {
		var err error
		if isSelection(id) {
			selection = i + 1
			err = openSelection(id, now, add)
		} else {
			selection = 0
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
func (c *Config) runOf(ids []string) string {
	if c.Run == nil {
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

func (c *Config) openRun(ctx context.Context, w *work, add addition) error {
	if c.Run == nil {
		return server.NotFound("this server has no kept runs")
	}
	run, err := c.Run(ctx, w.run)
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
