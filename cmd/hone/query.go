package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

const queryHelp = `usage: hone query [flags] SELECTOR

Print a report of profiles that hone serve has collected.

Examples:

  hone query 'cpu{service="api"}'
  hone query -from -7d -by version 'cpu{service="api"}'
  hone query -base 'cpu{service="api", version="v1"}' 'cpu{service="api", version="v2"}'

Flags for what to select:

  -from TIME, -to TIME
                  the time range (the last hour): 2006-01-02T15:04:05Z, a Unix time, now,
                  or relative to now: -1h, -2d, "3h ago"
  -by LABEL,...   one report for each combination of values of these labels
  -base SELECTOR  compare with the profiles of this selector
  -base-from TIME, -base-to TIME
                  compare with another time range; -base is then optional
  -weight SHARE   only the most expensive profiles: 5% or 0.05
  -per sum|profile|second|request
                  add up, or divide by the number of profiles, by their duration or by
                  the requests that the agent counted (goroutines and memory in use:
                  profile, everything else: sum)
  -id ID          only the profile with this id
  -span ID        only samples that were taken in this span of a trace

Flags for what to print:

  -top, -tree, -list=REGEXP, -peek=REGEXP, -traces, -tags, -raw, -proto, -svg, ...
                  any report of hone pprof (-top)
  -flame          a flame graph
  -series         totals over time, per group with -by; -step 1m or -points N sets
                  the resolution
  -history        functions by version, largest change first; -limit N, and -focus,
                  -mine and so on
  -endpoints      what requests cost by endpoint, where the agent counts them; -limit N
  -records        single profiles with their ids; -limit N
  -labels         names and values of labels
  -json, -csv     as JSON or CSV

Flags for the server:

` + serverHelp + `
All flags that select a sample type, filter and shape reports work as in hone pprof;
see "hone help pprof".

Exit codes: 0 success, 1 failure, 2 wrong usage.

SELECTOR is KIND{LABEL="VALUE", ...}, such as cpu{service="api", version=~"v1.*"}. You
can leave out either part: heap, {service="api"}. The operators are =, !=, =~ and !~;
patterns match the whole value. "hone query -labels '{}'" lists what the server has.

go tool pprof and other verbs of hone read selections too, as URLs:
http://127.0.0.1:4600/api/v1/pprof?q=cpu{service="api"}&from=-1h
`

func runQuery(ctx context.Context, a *app, args []string) error {
	q := &queryRun{app: a, now: time.Now()}
	usage := func(format string, args ...any) error {
		return &shell.UsageError{Verb: "query", Err: fmt.Errorf(format, args...)}
	}
	var err error
	if q.inv, err = parseQuery(args, &q.f, a.stderr); err != nil {
		return err
	}
	if len(q.inv.Sources) != 1 {
		return usage("want one selector, found %d arguments: quote it, such as 'cpu{service=\"api\"}'", len(q.inv.Sources))
	}
	if len(q.inv.Base) > 1 {
		return usage("-base is given twice: use it once")
	}
	selection, err := q.selection(q.inv.Sources[0], q.f.from, q.f.to)
	if err != nil {
		return usage("%w", err)
	}
	q.load = newOpener(a, q.inv)
	if q.client, err = q.f.client(ctx, a, "query", q.load.loader.Fetcher); err != nil {
		return err
	}
	if q.inv.SampleIndex != "" && (q.f.endpoints || q.f.series || q.f.records || q.f.history) {
		selection.Set("sample_type", q.inv.SampleIndex)
	}
	switch {
	case q.f.labels:
		return q.printLabels(ctx, selection)
	case q.f.records:
		return q.printRecords(ctx, selection)
	case q.f.series:
		return q.printSeries(ctx, selection)
	case q.f.history:
		return q.printHistory(ctx, selection)
	case q.f.endpoints:
		return q.printEndpoints(ctx, selection)
	}
	groups, err := q.groups(ctx, selection)
	if err != nil {
		return err
	}
	return q.deliver(ctx, groups)
}

// groups fetches the merged profile of each group.
func (q *queryRun) groups(ctx context.Context, selection url.Values) ([]queryGroup, error) {
	base := url.Values(nil)
	if len(q.inv.Base) > 0 || q.f.baseFrom != "" || q.f.baseTo != "" {
		selector := q.inv.Sources[0]
		if len(q.inv.Base) > 0 {
			selector = q.inv.Base[0]
		}
		from, to := q.f.from, q.f.to
		if q.f.baseFrom != "" || q.f.baseTo != "" {
			from, to = q.f.baseFrom, q.f.baseTo
		}
		var err error
		if base, err = q.selection(selector, from, to); err != nil {
			return nil, &shell.UsageError{Verb: "query", Err: fmt.Errorf("base: %w", err)}
		}
	}
	if q.f.by == "" {
		g, err := q.group(ctx, nil, selection, base)
		if err != nil {
			return nil, err
		}
		return []queryGroup{*g}, nil
	}
	if base != nil {
		return nil, &shell.UsageError{Verb: "query", Err: errors.New("-by can't be combined with a base: select one group")}
	}
	params := cloneValues(selection)
	params.Set("by", q.f.by)
	params.Set("points", "1")
	params.Set("limit", strconv.Itoa(max(1, q.f.limit, 50)))
	var over api.OverTime
	if err := q.client.json(ctx, "/api/v1/series", params, &over); err != nil {
		return nil, err
	}
	if over.Left > 0 {
		q.app.warn(fmt.Sprintf("%d more groups; -limit N shows them.", over.Left))
	}
	var all []queryGroup
	for _, s := range over.Series {
		part, err := url.ParseQuery(strings.TrimPrefix(s.Profile, "sel:"))
		if err != nil {
			return nil, err
		}
		g, err := q.group(ctx, s.Labels, part, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, *g)
	}
	if len(all) == 0 {
		if _, err := q.client.profile(ctx, selection, profile.Limits{}); err != nil {
			return nil, err // the server says what it has instead
		}
		return nil, fmt.Errorf("no profiles match %s in this time range", q.inv.Sources[0])
	}
	return all, nil
}

// group fetches a profile and, unless base is nil, its base.
func (q *queryRun) group(ctx context.Context, labels map[string]string, selection, base url.Values) (*queryGroup, error) {
	fetch := func(v url.Values) (*profile.Profile, error) {
		limits := profileLimits(q.inv)
		p, err := q.client.profile(ctx, v, limits)
		if err != nil {
			return nil, err
		}
		for _, w := range p.Warnings() {
			q.load.app.warn(w)
		}
		return q.load.completed(ctx, p)
	}
	g := &queryGroup{labels: labels}
	var err error
	if g.profile, err = fetch(selection); err != nil {
		return nil, err
	}
	if base == nil {
		return g, nil
	}
	if g.base, err = fetch(base); err != nil {
		return nil, err
	}
	if q.inv.Command == "flame" {
		return g, nil // a flame graph shows both
	}
	bases, heads := profile.AlignLiterals([]*profile.Profile{g.base}, []*profile.Profile{g.profile})
	g.profile, err = report.Subtract(ctx, heads[0], bases[0], true, report.Scaling{Normalize: q.inv.Normalize})
	return g, err
}

// oneFile are the reports that fill a file, so that only one can be written.
var oneFile = []string{"proto", "topproto", "svg", "png", "gif", "pdf", "ps", "web", "weblist", "callgrind", "flame", "eog", "evince", "gv", "dot"}

// deliver prints the reports of groups, one after another.
func (q *queryRun) deliver(ctx context.Context, groups []queryGroup) error {
	if len(groups) > 1 && slices.Contains(oneFile, q.inv.Command) {
		return &shell.UsageError{Verb: "query", Err: fmt.Errorf("found %d groups, but %s shows only one: select one, or leave out -by", len(groups), q.inv.Command)}
	}
	if q.inv.Command == "flame" {
		f := flameFlags{normalize: q.inv.Normalize}
		if err := f.choose(q.inv); err != nil {
			return err
		}
		out := &shell.Outlet{Out: q.app.stdout, Err: q.app.stderr, ToScreen: isTerminal(q.app.stdout) && f.format == "html", Getenv: q.app.getenv}
		defer out.Close()
		return out.Deliver(ctx, "flame", q.inv.Output, func(ctx context.Context, w io.Writer) error {
			return writeFlame(ctx, q.app, w, groups[0].base, groups[0].profile, f, q.inv.Options)
		})
	}
	if q.f.by == "" && !q.f.csv {
		like := q.inv.Command
		if !isTerminal(q.app.stdout) {
			like = ""
		}
		return deliverReport(ctx, q.app, q.inv, like, groups[0].profile)
	}
	out := &shell.Outlet{Out: q.app.stdout, Err: q.app.stderr, ToScreen: isTerminal(q.app.stdout), Getenv: q.app.getenv}
	defer out.Close()
	return out.Deliver(ctx, "", q.inv.Output, func(ctx context.Context, w io.Writer) error {
		switch {
		case q.inv.JSON:
			return q.groupsJSON(ctx, w, groups)
		case q.f.csv:
			return q.groupsCSV(ctx, w, groups)
		}
		for i, g := range groups {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "== %s\n", groupName(g.labels))
			if err := generateReport(ctx, q.app, w, g.profile, q.inv.Command, q.inv.Param, q.inv.Options); err != nil {
				return fmt.Errorf("%s: %w", groupName(g.labels), err)
			}
		}
		return nil
	})
}

func (q *queryRun) report(ctx context.Context, g *queryGroup) (*report.Report, error) {
	return report.New(g.profile, q.inv.Command, q.inv.Param, q.inv.Options, reportEnv(ctx, q.app, q.inv.Options))
}

// groupsJSON writes {"groups": [{"labels": {…}, "report": …}…]}.
func (q *queryRun) groupsJSON(ctx context.Context, w io.Writer, groups []queryGroup) error {
	type group struct {
		Labels map[string]string `json:"labels"`
		Report json.RawMessage   `json:"report"`
	}
	out := struct {
		Groups []group `json:"groups"`
	}{}
	for i := range groups {
		r, err := q.report(ctx, &groups[i])
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			return err
		}
		out.Groups = append(out.Groups, group{groups[i].labels, b.Bytes()})
	}
	return writeJSON(w, out)
}

// groupsCSV writes one table after another, with columns for the labels first.
func (q *queryRun) groupsCSV(ctx context.Context, w io.Writer, groups []queryGroup) error {
	names := splitList(q.f.by)
	for i := range groups {
		r, err := q.report(ctx, &groups[i])
		if err != nil {
			return err
		}
		var b bytes.Buffer
		switch q.inv.Command {
		case "tree":
			tree, err := r.Tree()
			if err != nil {
				return err
			}
			err = tree.WriteCSV(&b)
			if err != nil {
				return err
			}
		case "tags":
			err = r.Tags().WriteCSV(&b)
		default:
			err = r.Top().WriteCSV(&b)
		}
		if err != nil {
			return err
		}
		var values []string
		for _, name := range names {
			values = append(values, groups[i].labels[name])
		}
		if err := prefixCSV(w, &b, i == 0, names, values); err != nil {
			return err
		}
	}
	return nil
}
