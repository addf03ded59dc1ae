package reports

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// options are the names of the report options that a request may set, sorted.
// Those that name files of this machine are not among them.
var options = []string{
	"call_tree", "compact_labels", "divide_by", "drop_negative", "edgefraction", "focus", "granularity", "hide", "ignore",
	"intel_syntax", "mean", "mine", "nodecount", "nodefraction", "noinlines", "normalize", "prune_from", "relative_percentages",
	"sample_index", "show", "show_from", "showcolumns", "sort", "tagfocus", "taghide", "tagignore", "tagleaf", "tagroot",
	"tagshow", "trim", "unit",
}

// patterns are the options that are regular expressions, tagPatterns those that can
// have several.
var (
	patterns    = []string{"focus", "hide", "ignore", "mine", "prune_from", "show", "show_from", "taghide", "tagshow"}
	tagPatterns = []string{"tagfocus", "tagignore"}
)

// A kind is one of the API's reports.
type kind struct {
	name    string
	command string // of go tool pprof, the same report
	formats []format
	params  []string // its own, besides match
	// needsMatch is set for reports that require a pattern, needsBase for those that
	// require a base.
	needsMatch, needsBase bool
	// read reads params into the query before profiles are opened; nil if answer reads
	// them.
	read   func(*query) error
	answer func(context.Context, *maker, *query) (*server.Answer, error)
	// file answers in the formats other than JSON; nil if answer does.
	file func(context.Context, *maker, *query) (*server.Answer, error)
}

// A format is an output format of a report. The first format of a kind is its
// default.
type format struct {
	name        string
	contentType string
	ending      string // of files; "" means the name
	parity      bool   // the same bytes as go tool pprof's
}

var (
	asJSON      = format{name: "json", contentType: server.TypeJSON}
	asText      = format{name: "text", contentType: server.TypeText, ending: "txt", parity: true}
	asCSV       = format{name: "csv", contentType: "text/csv; charset=utf-8"}
	asSVG       = format{name: "svg", contentType: "image/svg+xml"}
	asHTML      = format{name: "html", contentType: "text/html; charset=utf-8"}
	asDOT       = format{name: "dot", contentType: server.TypeText, parity: true}
	asPNG       = format{name: "png", contentType: "image/png"}
	asPDF       = format{name: "pdf", contentType: "application/pdf"}
	asCallgrind = format{name: "callgrind", contentType: server.TypeText, parity: true}
	asFolded    = format{name: "folded", contentType: server.TypeText, ending: "folded.txt"}
	asProto     = format{name: "pb.gz", contentType: "application/octet-stream", parity: true}

	asSpeedscope = format{name: "speedscope", contentType: server.TypeJSON, ending: "speedscope.json"}
	asFirefox    = format{name: "firefox", contentType: server.TypeJSON, ending: "firefox.json"}
)

// A query is a checked request for a report. Its key includes everything that the
// answer depends on.
type query struct {
	kind   *kind
	head   []Opened
	base   []Opened
	config shell.Config
	format string
	own    map[string]string // the report's own parameters as given, without match
	flame  flameQuery        // those of flame graphs
	// baseTotal is the BaseTotal of report.Scaling, as given.
	baseTotal float64
	// mineIfAny asks for your code only if there is some and other code as well.
	mineIfAny bool

	match    string
	download bool
}

// A flameQuery has the parameters of a flame graph.
type flameQuery struct {
	inverted bool
	collapse bool   // recursion
	pivot    string // "" for none
	callers  bool   // of the pivot
	widths   report.FlameWidths
	window   report.Window  // of flame, as JSON
	search   *regexp.Regexp // of flame/search
}

// newQuery reads the parameters of a request, and opens its profiles.
func (s *Service) newQuery(ctx context.Context, k *kind, values url.Values) (*query, error) {
	q, err := parseQuery(k, values, &s.cfg)
	if err != nil {
		return nil, err
	}
	if q.head, q.base, err = s.opener.sides(ctx, values["profile"], values["base"]); err != nil {
		return nil, err
	}
	if err := q.settle(); err != nil || !q.mineIfAny {
		return q, err
	}
	return q, s.maker.settleMine(ctx, q)
}

// parseQuery reads all parameters except those that name profiles.
func parseQuery(k *kind, values url.Values, cfg *Config) (*query, error) {
	q := &query{kind: k, config: shell.DefaultConfig(), format: k.formats[0].name, own: map[string]string{}}
	q.config.SourcePath, q.config.TrimPath = cfg.Options.SourcePath, cfg.Options.TrimPath
	for _, name := range slices.Sorted(maps.Keys(values)) {
		vs := values[name]
		if name == "profile" || name == "base" {
			continue
		}
		if len(vs) > 1 {
			return nil, server.BadParam(name, "%s is given %d times", name, len(vs))
		}
		if err := q.set(name, vs[0]); err != nil {
			return nil, err
		}
		if cfg.Shared {
			if err := checkCost(name, vs[0]); err != nil {
				return nil, err
			}
		}
	}
	if k.needsMatch && q.match == "" {
		return nil, server.BadParam("match", "match is missing: give a pattern for names of functions")
	}
	if k.read != nil {
		if err := k.read(q); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// settle checks that the report has the profiles that it needs, and sets the options
// that depend on them.
func (q *query) settle() error {
	if len(q.head) == 0 {
		return server.BadParam("profile", "profile is missing: give the id of a profile from /api/v1/profiles")
	}
	if q.kind.needsBase && len(q.base) == 0 {
		return server.BadParam("base", "base is missing: give the id of a profile to compare with")
	}
	// go tool pprof prints such values as a sum.
	q.config.PerSecond = !q.formatted().parity && !slices.ContainsFunc(q.head, func(p Opened) bool { return !p.perSecond() })
	if len(q.base) == 0 {
		q.config.Normalize = false // there is nothing to scale to
	}
	if !q.config.Normalize {
		q.baseTotal = 0
	}
	return nil
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
			return server.BadParam(name, "unknown format %q of %s (known: %s)", value, q.kind.name, strings.Join(known, ", "))
		}
		return nil
	case name == "download":
		on, err := server.Flag(name, value)
		q.download = on
		return err
	case name == "match" && q.kind.needsMatch:
		q.match = value
		return checkPattern(name, value)
	case name == "base_total":
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			return server.BadParam(name, "invalid base_total %q: use a number above 0, the multiple of the other side's total to scale the base to", value)
		}
		q.baseTotal = v
		return nil
	case name == "mine" && value == "auto":
		q.mineIfAny = true
		return nil
	case slices.Contains(q.kind.params, name):
		q.own[name] = value
		return nil
	}
	return SetOption(&q.config, name, value)
}

// SetOption sets a report option that a request may set.
func SetOption(c *shell.Config, name, value string) error {
	if _, ok := slices.BinarySearch(options, name); !ok {
		return server.BadParam(name, "unknown parameter %q", name)
	}
	if err := c.Set(name, value); err != nil {
		return server.BadParam(name, "%s: %w", name, err)
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
			return server.BadParam(name, "invalid %s: use a finite number", name)
		}
	}
	if c.DivideBy == 0 {
		return server.BadParam("divide_by", "invalid divide_by 0: use a number other than 0")
	}
	return nil
}

// sampleIndex returns the index of the query's sample type in a profile, or in a sum of
// several: -1 if there are no sample types. Its error names the right parameter.
func (q *query) sampleIndex(p *profile.Profile) (int, error) {
	i, err := p.SampleIndex(q.config.SampleIndex)
	if err != nil {
		return 0, &server.Error{Status: 400, Param: "sample_index", Err: err}
	}
	return i, nil
}

func checkPattern(name, value string) error {
	if _, err := regexp.Compile(value); err != nil {
		return server.BadParam(name, "%s: %w", name, err)
	}
	return nil
}

// checkCost returns an error if a parameter is a pattern that takes too long.
func checkCost(name, value string) error {
	parts := []string{value}
	switch {
	case slices.Contains(tagPatterns, name):
		parts = strings.Split(value[strings.Index(value, "=")+1:], ",")
	case !slices.Contains(patterns, name) && name != "match" && name != "query":
		return nil
	}
	for _, part := range parts {
		if err := store.CheckPattern(part); err != nil {
			return server.BadParam(name, "%s: %w", name, err)
		}
	}
	return nil
}

// number reads one of the report's own parameters. If it isn't given, number returns
// absent.
func (q *query) number(name string, absent int64) (int64, error) {
	text, ok := q.own[name]
	if !ok || text == "" {
		return absent, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, server.BadParam(name, "invalid %s %q: use a whole number, 0 or more", name, text)
	}
	return n, nil
}

func (q *query) bool(name string) (bool, error) { return server.Flag(name, q.own[name]) }

// profilesKey identifies the profiles of a query.
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

// optionsKey identifies the options that are not at their default. It doesn't depend on
// the order in which they were given.
func (q *query) optionsKey() string {
	v := Unusual(&q.config)
	if q.baseTotal != 0 {
		v.Set("base_total", strconv.FormatFloat(q.baseTotal, 'g', -1, 64))
	}
	if q.config.PerSecond {
		v.Set("per_second", "1")
	}
	return v.Encode()
}

// Unusual returns the options that are not at their default.
func Unusual(c *shell.Config) url.Values {
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

// key identifies the answer of a query.
func (q *query) key() string {
	own := url.Values{}
	for name, value := range q.own {
		if value != "" {
			own.Set(name, value)
		}
	}
	return fmt.Sprintf("answer %s %s%s ?%s #%s =%s", q.kind.name, q.format, q.profilesKey(), q.optionsKey(), own.Encode(), q.match)
}

// page reads limit and offset. The default limit is usual.
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

// fileName returns the file name of a download.
func (q *query) fileName() string {
	name := server.SafeFileName(q.head[0].Name)
	for _, ending := range []string{".gz", ".pb", ".pprof", ".prof"} {
		name = strings.TrimSuffix(name, ending)
	}
	f := q.formatted()
	ending := cmp.Or(f.ending, f.name)
	if q.kind.name == "proto" {
		return name + "." + ending
	}
	return name + "-" + strings.ReplaceAll(q.kind.name, "/", "-") + "." + ending
}

// formatted returns the format of the query's answer.
func (q *query) formatted() format {
	for _, f := range q.kind.formats {
		if f.name == q.format {
			return f
		}
	}
	return asText
}

func (q *query) contentType() string { return q.formatted().contentType }
