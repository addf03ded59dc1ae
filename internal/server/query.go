package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// options are the names of the report options that a request may set, sorted.
// Those that name files of this machine are not among them.
var options = []string{
	"call_tree", "compact_labels", "divide_by", "drop_negative", "edgefraction", "focus", "granularity", "hide", "ignore",
	"intel_syntax", "mean", "nodecount", "nodefraction", "noinlines", "normalize", "prune_from", "relative_percentages",
	"sample_index", "show", "show_from", "showcolumns", "sort", "tagfocus", "taghide", "tagignore", "tagleaf", "tagroot",
	"tagshow", "trim", "unit",
}

// patterns are the options that are regular expressions, tagPatterns those that
// may hold several.
var (
	patterns    = []string{"focus", "hide", "ignore", "prune_from", "show", "show_from", "taghide", "tagshow"}
	tagPatterns = []string{"tagfocus", "tagignore"}
)

// maxProfiles bounds how many profiles a request adds up.
const maxProfiles = 1000

// A query is a request for a report, checked. Everything in it that decides
// what the answer is takes part in its key.
type query struct {
	kind   *kind
	head   []opened
	base   []opened
	config shell.Config
	format string
	own    map[string]string // the report's own parameters that are given, but match

	match    string
	download bool
}

// newQuery reads the parameters of a request.
func (s *Server) newQuery(ctx context.Context, k *kind, values url.Values) (*query, error) {
	q := &query{kind: k, config: shell.DefaultConfig(), format: k.formats[0].name, own: map[string]string{}}
	q.config.SourcePath, q.config.TrimPath = s.cfg.Options.SourcePath, s.cfg.Options.TrimPath
	for _, name := range slices.Sorted(maps.Keys(values)) {
		vs := values[name]
		if name == "profile" || name == "base" {
			continue
		}
		if len(vs) > 1 {
			return nil, badParam(name, "%s is given %d times", name, len(vs))
		}
		if err := q.set(name, vs[0]); err != nil {
			return nil, err
		}
	}
	if k.needsMatch && q.match == "" {
		return nil, badParam("match", "match is missing: a pattern that functions are to match")
	}
	var err error
	if q.head, err = s.openAll(ctx, "profile", values["profile"]); err != nil {
		return nil, err
	}
	if q.base, err = s.openAll(ctx, "base", values["base"]); err != nil {
		return nil, err
	}
	if len(q.head) == 0 {
		return nil, badParam("profile", "profile is missing: the id of a profile, see /api/v1/profiles")
	}
	if k.needsBase && len(q.base) == 0 {
		return nil, badParam("base", "base is missing: the id of a profile to compare with")
	}
	if len(q.base) == 0 {
		q.config.Normalize = false // there is nothing to scale to
	}
	return q, nil
}

func (s *Server) openAll(ctx context.Context, param string, ids []string) ([]opened, error) {
	if len(ids) > maxProfiles {
		return nil, badParam(param, "%d profiles are more than %d", len(ids), maxProfiles)
	}
	var all []opened
	now := time.Now()
	for _, id := range ids {
		p, err := s.open(ctx, id, now)
		if err != nil {
			var re *requestError
			if errors.As(err, &re) && re.param != "" {
				return nil, &requestError{re.status, param, re.err}
			}
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// open returns the profile with an id, which may be that of a selection. Times
// in it are relative to now.
func (s *Server) open(ctx context.Context, id string, now time.Time) (opened, error) {
	if !strings.HasPrefix(id, selectionPrefix) {
		if err := seesAll(ctx); err != nil {
			return opened{}, &requestError{http.StatusNotFound, "profile", fmt.Errorf("no profile %s is open", id)}
		}
		return s.profiles.get(ctx, id)
	}
	sel, err := parseSelection(id, now)
	if err != nil {
		return opened{}, badParam("profile", "%w", err)
	}
	o, _, err := s.openSelection(ctx, sel)
	return o, err
}

// set takes one parameter.
func (q *query) set(name, value string) error {
	switch {
	case name == "format":
		q.format = value
		if !slices.ContainsFunc(q.kind.formats, func(f format) bool { return f.name == value }) {
			var known []string
			for _, f := range q.kind.formats {
				known = append(known, f.name)
			}
			return badParam(name, "%s has no format %q: it has %s", q.kind.name, value, strings.Join(known, ", "))
		}
		return nil
	case name == "download":
		on, err := flag(name, value)
		q.download = on
		return err
	case name == "match" && q.kind.needsMatch:
		q.match = value
		return checkPattern(name, value)
	case slices.Contains(q.kind.params, name):
		q.own[name] = value
		return nil
	}
	return setOption(&q.config, name, value)
}

// setOption sets a report option that a request may set.
func setOption(c *shell.Config, name, value string) error {
	if _, ok := slices.BinarySearch(options, name); !ok {
		return badParam(name, "unknown parameter %q", name)
	}
	if err := c.Set(name, value); err != nil {
		return badParam(name, "%s: %w", name, err)
	}
	switch {
	case slices.Contains(patterns, name):
		return checkPattern(name, value)
	case slices.Contains(tagPatterns, name):
		if _, filter, keyed := strings.Cut(value, "="); keyed {
			value = filter
		}
		for part := range strings.SplitSeq(value, ",") {
			if err := checkPattern(name, part); err != nil {
				return err
			}
		}
	}
	for of, x := range map[string]float64{"divide_by": c.DivideBy, "nodefraction": c.NodeFraction, "edgefraction": c.EdgeFraction} {
		if of == name && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return badParam(name, "%s is no number", name)
		}
	}
	if c.DivideBy == 0 {
		return badParam("divide_by", "nothing can be divided by 0")
	}
	return nil
}

// checkSampleType blames the right parameter for a sample type that a profile,
// or a sum of several, hasn't got.
func (q *query) checkSampleType(p *profile.Profile) error {
	if _, err := p.SampleIndex(q.config.SampleIndex); err != nil {
		return &requestError{400, "sample_index", err}
	}
	return nil
}

func checkPattern(name, value string) error {
	if _, err := regexp.Compile(value); err != nil {
		return badParam(name, "%s: %w", name, err)
	}
	return nil
}

// flag reads a parameter that is 1 or 0.
func flag(name, value string) (bool, error) {
	switch value {
	case "1", "true":
		return true, nil
	case "", "0", "false":
		return false, nil
	}
	return false, badParam(name, "%s is %q, not 1 or 0", name, value)
}

// number reads one of the report's own parameters; it is absent if not given.
func (q *query) number(name string, absent int64) (int64, error) {
	text, ok := q.own[name]
	if !ok || text == "" {
		return absent, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, badParam(name, "%s is %q, not a number from 0", name, text)
	}
	return n, nil
}

func (q *query) bool(name string) (bool, error) { return flag(name, q.own[name]) }

// profilesKey tells which profiles a query is about.
func (q *query) profilesKey() string {
	var b strings.Builder
	for _, p := range q.head {
		b.WriteString(" " + p.key())
	}
	for _, p := range q.base {
		b.WriteString(" -" + p.key())
	}
	return b.String()
}

// optionsKey tells the options that are not at their default, in one order
// however they were given.
func (q *query) optionsKey() string { return unusual(&q.config).Encode() }

// unusual returns the options that are not at their default.
func unusual(c *shell.Config) url.Values {
	def := shell.DefaultConfig()
	v := url.Values{}
	for _, name := range options {
		value, _ := c.Get(name)
		if usual, _ := def.Get(name); value != usual {
			v.Set(name, value)
		}
	}
	return v
}

// key tells queries with different answers apart.
func (q *query) key() string {
	own := url.Values{}
	for name, value := range q.own {
		if value != "" {
			own.Set(name, value)
		}
	}
	return fmt.Sprintf("answer %s %s%s ?%s #%s =%s", q.kind.name, q.format, q.profilesKey(), q.optionsKey(), own.Encode(), q.match)
}

// page reads limit and offset; limit is usual if not given.
func (q *query) page(usual int) (report.Page, error) {
	limit, err := q.number("limit", int64(usual))
	if err != nil {
		return report.Page{}, err
	}
	offset, err := q.number("offset", 0)
	if err != nil {
		return report.Page{}, err
	}
	const most = math.MaxInt32
	return report.Page{Find: q.own["find"], Order: q.own["order"], Offset: int(min(offset, most)), Limit: int(min(limit, most))}, nil
}

// fileName is what a download is called.
func (q *query) fileName() string {
	name := safeFileName(q.head[0].name)
	for _, ending := range []string{".gz", ".pb", ".pprof", ".prof"} {
		name = strings.TrimSuffix(name, ending)
	}
	ending := ""
	for _, f := range q.kind.formats {
		if f.name == q.format {
			ending = cmp.Or(f.ending, f.name)
		}
	}
	if q.kind.name == "proto" {
		return name + "." + ending
	}
	return name + "-" + strings.ReplaceAll(q.kind.name, "/", "-") + "." + ending
}

// subject returns the profile that a report is made of: the sum of the query's,
// minus the sum of the base.
func (s *Server) subject(ctx context.Context, q *query) (*profile.Profile, error) {
	head, err := s.sum(ctx, q.head)
	if err != nil || len(q.base) == 0 {
		return head, err
	}
	base, err := s.sum(ctx, q.base)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("difference%s normalize=%t", q.profilesKey(), q.config.Normalize)
	return cached(ctx, s.cache, key, func(context.Context) (*profile.Profile, int64, error) {
		p, err := report.Subtract(head, base, true, q.config.Normalize)
		if err != nil {
			return nil, 0, err
		}
		return p, profileBytes(p), nil
	})
}

// sum returns the profiles added up.
func (s *Server) sum(ctx context.Context, ps []opened) (*profile.Profile, error) {
	if len(ps) == 1 {
		return ps[0].get(ctx)
	}
	key := "sum"
	for _, p := range ps {
		key += " " + p.key()
	}
	return cached(ctx, s.cache, key, func(ctx context.Context) (*profile.Profile, int64, error) {
		all, err := profilesOf(ctx, ps)
		if err != nil {
			return nil, 0, err
		}
		p, err := profile.Sum(all...)
		if err != nil {
			return nil, 0, err
		}
		return p, profileBytes(p), nil
	})
}

// meanwhile is sum beside what the caller does until it calls the result, if a
// processor is free.
func (s *Server) meanwhile(ctx context.Context, ps []opened) func() (*profile.Profile, error) {
	if len(ps) == 0 || !s.cache.spare() {
		return func() (*profile.Profile, error) { return s.sum(ctx, ps) }
	}
	type result struct {
		p   *profile.Profile
		err error
	}
	done := make(chan result, 1)
	go func() {
		p, err := s.sum(ctx, ps)
		s.cache.release()
		done <- result{p, err}
	}()
	return func() (*profile.Profile, error) {
		r := <-done
		return r.p, r.err
	}
}

func profilesOf(ctx context.Context, ps []opened) ([]*profile.Profile, error) {
	out := make([]*profile.Profile, len(ps))
	for i := range ps {
		var err error
		if out[i], err = ps[i].get(ctx); err != nil {
			return nil, err
		}
	}
	return out, nil
}
