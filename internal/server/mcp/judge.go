package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
)

// Comparing, advice and history.

type compareIn struct {
	Profile  string `json:"profile,omitempty" jsonschema:"id of a profile, or selector of stored ones"`
	From     string `json:"from,omitempty" jsonschema:"start of the time for a selector: -1h (default), -2d, or RFC 3339"`
	To       string `json:"to,omitempty" jsonschema:"its end (default: now)"`
	Base     string `json:"base,omitempty" jsonschema:"the profile or selector to compare with"`
	BaseFrom string `json:"base_from,omitempty" jsonschema:"start of its time, for a selector (default: from)"`
	BaseTo   string `json:"base_to,omitempty" jsonschema:"end of its time (default: to)"`
	Run      string `json:"run,omitempty" jsonschema:"instead of a profile: a run, for its benchmarks"`
	BaseRun  string `json:"base_run,omitempty" jsonschema:"the run to compare with; not needed if run has a base of its own"`
	filterIn
}

func (s *site) compare(ctx context.Context, in compareIn, a *answer) error {
	if in.Run != "" {
		return s.compareRuns(ctx, in, a)
	}
	if in.Base == "" {
		return errors.New("no base given: name the profile or selector to compare with, or two runs")
	}
	id, err := profileID(in.Profile, in.From, in.To)
	if err != nil {
		return err
	}
	from, to := cmp.Or(in.BaseFrom, in.From), cmp.Or(in.BaseTo, in.To)
	if !strings.Contains(in.Base, "{") && in.BaseFrom == "" && in.BaseTo == "" {
		from, to = "", ""
	}
	base, err := profileID(in.Base, from, to)
	if err != nil {
		return err
	}
	q := in.query(id)
	q.Set("base", base)
	q.Set("format", "text")
	q.Set("nodecount", "15")
	table, err := s.api(ctx, "report/diff", q)
	if err != nil {
		return err
	}
	a.say("By function, the largest change first; ~ marks what chance may explain.")
	a.data(string(table), maxTokens)
	a.then(`why(profile=%q, function="…")`, in.Profile)
	return nil
}

func (s *site) compareRuns(ctx context.Context, in compareIn, a *answer) error {
	q := url.Values{"format": {"text"}, "run": {in.Run}}
	if in.BaseRun != "" {
		q["run"] = []string{in.BaseRun, in.Run}
	}
	text, err := s.api(ctx, "runs/compare", q)
	if err != nil {
		return err
	}
	a.say("Benchmarks that changed, and the functions that caused it. The base is first.")
	a.data(string(text), maxTokens)
	a.then("profiles(run=%q) for the profiles of the run", in.Run)
	return nil
}

type adviseIn struct {
	Profile string `json:"profile,omitempty" jsonschema:"id of a profile or selector of stored ones"`
	Run     string `json:"run,omitempty" jsonschema:"instead of a profile: a run, with all its profiles"`
	Limit   int    `json:"limit,omitempty" jsonschema:"number of findings (default 3, at most 10)"`
}

func (s *site) advise(ctx context.Context, in adviseIn, a *answer, progress func(string)) error {
	q := url.Values{"wait": {"2"}}
	switch {
	case in.Run != "" && in.Profile != "":
		return errors.New("give a run or a profile, not both")
	case in.Run != "":
		q.Set("run", in.Run)
	default:
		id, err := profileID(in.Profile, "", "")
		if err != nil {
			return err
		}
		q.Set("profile", id)
	}
	limit, err := limited(in.Limit, 3, 10)
	if err != nil {
		return err
	}
	var found *api.Advice
	for begin := time.Now(); ; progress(fmt.Sprintf("reading the module's hot packages, %v", time.Since(begin).Round(time.Second))) {
		if found, err = ask[api.Advice](ctx, s.api, "advice", q); !errors.Is(err, errPending) {
			break
		}
	}
	if err != nil {
		return err
	}
	var findings []api.Finding
	for _, f := range found.Findings {
		if f.Shown() {
			findings = append(findings, f)
		}
	}
	if len(findings) == 0 {
		a.say("hone has no advice on the hot lines of this profile.")
		return nil
	}
	a.say("%d findings on hot lines, best first.", len(findings))
	shown := findings[:min(len(findings), limit)]
	each := (maxTokens - endTokens - a.tokens) / len(shown)
	for _, f := range shown {
		a.data(describeFinding(&f), each)
	}
	if n := len(findings) - len(shown); n > 0 {
		a.then("advise(limit=%d) for the others", min(10, len(findings)))
	}
	if slices.ContainsFunc(shown, func(f api.Finding) bool { return f.Fix != nil }) {
		a.then("apply a rewrite to a copy, and prove(patch=…) tells whether it is right and faster")
	}
	return nil
}

func describeFinding(f *api.Finding) string {
	lines := []string{cmp.Or(f.Place, "the program") + ": " + f.Title}
	if f.Text != "" {
		lines = append(lines, "    "+strings.TrimSpace(f.Text))
	}
	for _, c := range f.Costs {
		lines = append(lines, "    "+c)
	}
	lines = append(lines, "    "+f.Advice())
	if f.Fix != nil {
		lines = append(lines, strings.Split(f.Fix.Diff, "\n")...)
	}
	return strings.Join(lines, "\n")
}

type historyIn struct {
	Service string `json:"service" jsonschema:"name of the service"`
	Kind    string `json:"kind,omitempty" jsonschema:"cpu (default), heap, allocs, mutex, block or goroutine"`
	From    string `json:"from,omitempty" jsonschema:"start of the time: -7d (default), -1d or RFC 3339"`
	Limit   int    `json:"limit,omitempty" jsonschema:"number of functions (default 10, at most 40)"`
}

func (s *site) history(ctx context.Context, in historyIn, a *answer) error {
	if in.Service == "" {
		return errors.New("no service given: profiles lists the services of a server")
	}
	limit, err := limited(in.Limit, 10, 40)
	if err != nil {
		return err
	}
	list, err := ask[api.ProfileList](ctx, s.api, "profiles", nil)
	if err != nil {
		return err
	}
	if !list.Continuous {
		return errors.New("no history here: only hone serve keeps profiles of services; hone mcp -server URL asks one. compare(run=…, base_run=…) compares runs")
	}
	selector := fmt.Sprintf("%s{service=%q}", cmp.Or(in.Kind, "cpu"), in.Service)
	h, err := ask[api.History](ctx, s.api, "history", url.Values{
		"q": {selector}, "from": {cmp.Or(in.From, "-7d")}, "rank": {"change"}, "limit": {strconv.Itoa(limit)}, "points": {"24"}, "mine": {"1"},
	})
	if err != nil {
		return err
	}
	var versions, functions []string
	for _, v := range h.Versions {
		versions = append(versions, fmt.Sprintf("%s  since %s, %s", cmp.Or(v.Version, "(without a version)"), when(v.First), compare.Counted(int(v.Profiles), "profile")))
	}
	for _, f := range h.Functions {
		if c := f.Change; c != nil && c.Sure != 0 {
			functions = append(functions, fmt.Sprintf("%s: %.2f %% → %.2f %% of %s, %s (at least %.2f points)", f.Name, c.Before, c.After, h.Type, cmp.Or("since "+c.Version, when(c.Time)), c.Sure))
		}
	}
	a.list("Versions, oldest first:", versions)
	a.list("Functions whose share changed by more than chance explains, largest change first:", functions)
	if len(functions) == 0 {
		a.say("No function's share changed by more than chance explains.")
	}
	all, err := ask[api.Regressions](ctx, s.api, "regressions", url.Values{"service": {in.Service}})
	if err != nil {
		return err
	}
	var regressions []string
	for _, r := range all.Regressions {
		regressions = append(regressions, fmt.Sprintf("%s: %s costs %.1f %% more %s since %s %s, in %d of %d instances; new below it: %s",
			r.State, r.Function, 100*r.Growth, r.Type, r.Version, when(r.Since), r.Affected, r.Instances, cmp.Or(strings.Join(r.New, ", "), "nothing")))
	}
	a.list("Regressions that hone found:", regressions)
	a.then(`compare(profile="%s{service=%q, version=\"…\"}", base="…") for two versions`, cmp.Or(in.Kind, "cpu"), in.Service)
	return nil
}

// when is a time of the API.
func when(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
