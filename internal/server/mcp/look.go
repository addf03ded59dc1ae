package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
)

// Looking: what there is, what costs most, and why.

type profilesIn struct {
	Run  string `json:"run,omitempty" jsonschema:"list the profiles of this run"`
	Find string `json:"find,omitempty" jsonschema:"only services, runs and profiles with this text in their name"`
}

// rows bounds a list.
const rows = 25

func (s *site) profiles(ctx context.Context, in profilesIn, a *answer) error {
	if in.Run != "" {
		return s.profilesOf(ctx, in, a)
	}
	list, err := ask[api.ProfileList](ctx, s.api, "profiles", nil)
	if err != nil {
		return err
	}
	has := func(name string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(in.Find)) }
	var open, stored, runs []string
	for _, p := range list.Profiles {
		if has(p.Name) {
			open = append(open, fmt.Sprintf("%s  %s  %s", p.ID, p.Name, p.Error))
		}
	}
	if list.Continuous {
		services, err := ask[struct{ Services []api.Service }](ctx, s.api, "services", nil)
		if err != nil {
			return err
		}
		for _, v := range services.Services {
			if has(v.Name) {
				stored = append(stored, describeService(&v)...)
			}
		}
	}
	if list.Runs {
		kept, err := ask[api.RunList](ctx, s.api, "runs", nil)
		if err != nil {
			return err
		}
		for _, r := range kept.Runs {
			if has(r.ID + r.Line) {
				runs = append(runs, fmt.Sprintf("%s  %s  %s, %s", r.ID, r.Created.Format(time.DateTime), r.Line, compare.Counted(r.Benchmarks, "benchmark")))
			}
		}
	}
	a.list("Profiles that are open, with their ids:", open)
	a.list("Services with stored profiles; the selectors are profiles, too:", stored)
	a.list("Runs, newest first:", runs)
	switch {
	case len(open)+len(stored)+len(runs) == 0 && in.Find != "":
		a.say("Nothing has %q in its name.", in.Find)
	case len(open)+len(stored)+len(runs) == 0:
		a.say("There are no profiles yet. hone bench ./... in the module measures its benchmarks and keeps their profiles.")
	}
	if len(open)+len(stored) > 0 {
		a.then(`hot(profile="…") for the functions that cost most`)
	}
	if len(runs) > 0 {
		a.then(`profiles(run="…") for the profiles of a run; compare(run="…", base_run="…")`)
	}
	return nil
}

// describeService lists the selectors of a service.
func describeService(v *api.Service) []string {
	var versions []string
	for _, one := range v.Versions {
		if one.Version != "" && len(versions) < 3 {
			versions = append(versions, one.Version)
		}
	}
	last := time.UnixMilli(v.Last).UTC().Format(time.RFC3339)
	lines := []string{fmt.Sprintf("%s: last profile %s, newest versions %s", v.Name, last, strings.Join(versions, ", "))}
	for _, k := range v.Kinds {
		lines = append(lines, fmt.Sprintf("    %s{service=%q}", k.Kind, v.Name))
	}
	return lines
}

func (s *site) profilesOf(ctx context.Context, in profilesIn, a *answer) error {
	run, err := ask[api.RunAbout](ctx, s.api, "runs/"+url.PathEscape(in.Run), nil)
	if err != nil {
		return err
	}
	var lines []string
	for _, p := range run.Profiles {
		if strings.Contains(p.ID, in.Find) {
			lines = append(lines, p.ID)
		}
	}
	a.list("Profiles of the run, by id:", lines)
	if len(lines) == 0 {
		a.say("The run has no such profiles.")
	}
	a.then(`hot(profile="…")`)
	return nil
}

// list adds a heading and lines, if there are any.
func (a *answer) list(heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	a.say("%s", heading)
	if n := len(lines) - rows; n > 0 {
		lines = append(lines[:rows:rows], fmt.Sprintf("(%d more: use find)", n))
	}
	a.data(strings.Join(lines, "\n"), maxTokens/2)
}

type hotIn struct {
	profileIn
	filterIn
	By    string `json:"by,omitempty" jsonschema:"function (default), line or file"`
	Limit int    `json:"limit,omitempty" jsonschema:"number of rows (default 15, at most 50)"`
}

var granularities = map[string]string{"": "functions", "function": "functions", "line": "lines", "file": "files"}

func (s *site) hot(ctx context.Context, in hotIn, a *answer) error {
	id, err := in.id()
	if err != nil {
		return err
	}
	by, ok := granularities[in.By]
	if !ok {
		return fmt.Errorf("unknown by %.60q: use function, line or file", in.By)
	}
	limit, err := limited(in.Limit, 15, 50)
	if err != nil {
		return err
	}
	q := in.query(id)
	q.Set("format", "text")
	q.Set("granularity", by)
	q.Set("nodecount", strconv.Itoa(limit))
	table, err := s.api(ctx, "report/top", q)
	if err != nil {
		return err
	}
	a.say("Cost by %s, most expensive first. flat: its own code, cum: with all it calls.", strings.TrimSuffix(by, "s"))
	a.data(string(table), maxTokens)
	a.then(`why(profile=%q, function="…") for callers, callees and lines`, in.Profile)
	if by != "lines" {
		a.then(`hot(profile=%q, by="line")`, in.Profile)
	}
	if !in.All {
		a.then("all=true shows libraries and the runtime by name.")
	}
	return nil
}

type whyIn struct {
	profileIn
	filterIn
	Function string `json:"function" jsonschema:"regular expression for the name of the function, such as main\\.total$"`
}

func (s *site) why(ctx context.Context, in whyIn, a *answer) error {
	id, err := in.id()
	if err != nil {
		return err
	}
	if in.Function == "" {
		return errors.New("no function given: hot lists those that cost most")
	}
	q := in.query(id)
	q.Del("mine") // callees are libraries, too
	q.Set("format", "text")
	q.Set("match", in.Function)
	calls, err := s.api(ctx, "report/peek", q)
	if err != nil {
		return err
	}
	a.say("Callers are above the function, and what it calls is below.")
	a.data(string(calls), maxTokens/2)
	lines, err := s.api(ctx, "report/source", q)
	if err != nil {
		a.say("Its source can't be shown: %v", err)
	} else {
		a.say("Its lines that cost something: flat, cum, number, text.")
		a.data(costly(string(lines)), maxTokens)
	}
	a.then("advise(profile=%q) for what to change", in.Profile)
	return nil
}

// costly leaves out the lines of a listing that cost nothing, except for one before and after each that does.
func costly(listing string) string {
	lines := strings.Split(listing, "\n")
	keep := make(map[int]bool)
	for i, line := range lines {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "." || fields[1] != "." {
			keep[i-1], keep[i], keep[i+1] = true, true, true
		}
	}
	var out []string
	for _, i := range slices.Sorted(maps.Keys(keep)) {
		if i >= 0 && i < len(lines) {
			out = append(out, lines[i])
		}
	}
	return strings.Join(out, "\n")
}
