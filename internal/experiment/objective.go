package experiment

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/infile"
)

// ObjectivesFile is the name of the file with a module's objectives.
const ObjectivesFile = "hone.toml"

// MaxObjectivesFile is how many bytes of it are read at most.
const MaxObjectivesFile = 1 << 20

// An Objective is a bound on a metric, or a budget for its regressions.
// doc/objectives.md describes the file they come from.
type Objective struct {
	Name      string         // what to call it; "" if the file gives none
	Package   *regexp.Regexp // nil: any
	Benchmark *regexp.Regexp
	Metric    string // "ns/op", "share", "total/op"
	Max, Min  *Quantity
	Budget    *float64 // accepted worsening against a base, as a fraction

	Profile *ProfileMetric // nil for metrics of benchmark files

	Pos Position
}

// A ProfileMetric says which number of a benchmark's profile is meant.
type ProfileMetric struct {
	Kind       string         // "cpu", "mem": which file of the run
	SampleType string         // "alloc_space"; "": the profile's default
	Function   *regexp.Regexp // nil: all of the profile
	Flat       bool           // count only samples with the function as the leaf
	PerOp      bool           // total/op instead of share
}

// The metrics of profiles.
const (
	metricShare = "share"
	metricPerOp = "total/op"
)

// A Quantity is a number with its dimension.
type Quantity struct {
	Value     float64 // in seconds, bytes, as a fraction, or plain
	Dimension Dimension
	Text      string // as written: "1.5ms"
}

// A Dimension is what a quantity measures.
type Dimension uint8

const (
	Number   Dimension = iota // a count, or a number in the unit of the metric
	Time                      // seconds
	Bytes                     // bytes
	Fraction                  // of one
)

// A Position is a place in a file.
type Position struct {
	File         string
	Line, Column int // from 1; columns count bytes
}

func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// An ObjectiveError is something wrong in an objectives file.
type ObjectiveError struct {
	Pos   Position
	Cause error
}

func (e *ObjectiveError) Error() string { return fmt.Sprintf("%s: %v", e.Pos, e.Cause) }

// ParseObjectives reads the text of an objectives file. All that is wrong is
// reported at once: the error joins *ObjectiveErrors, in the order of the file.
func ParseObjectives(file string, text []byte) ([]Objective, error) {
	text, err := infile.Text(text)
	if err != nil {
		return nil, &ObjectiveError{Position{file, 1, 1}, err}
	}
	// First for the syntax and duplicate keys, which the second pass, over the
	// syntax tree for the sake of positions, does not see.
	var everything map[string]any
	if err := toml.Unmarshal(text, &everything); err != nil {
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			line, column := syntax.Position()
			message := strings.TrimPrefix(syntax.Error(), "toml: ")
			return nil, &ObjectiveError{Position{file, line, column}, errors.New(message)}
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p := &objectiveParser{file: file}
	p.toml.Reset(text)
	for p.toml.NextExpression() {
		p.expression(p.toml.Expression())
	}
	if err := p.toml.Error(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p.finish()
	return p.objectives, errors.Join(p.errs...)
}

type objectiveParser struct {
	file       string
	toml       unstable.Parser
	objectives []Objective
	table      *rawObjective
	inUnknown  bool // below a table that was reported
	errs       []error
}

// A rawObjective is an [[objective]] table: its values, and where each is.
type rawObjective struct {
	pos    Position
	values map[string]rawValue
}

type rawValue struct {
	kind unstable.Kind
	text string
	pos  Position
}

func (p *objectiveParser) fail(pos Position, format string, args ...any) {
	p.errs = append(p.errs, &ObjectiveError{pos, fmt.Errorf(format, args...)})
}

func (p *objectiveParser) position(n *unstable.Node) Position {
	r := n.Raw
	if r.Length == 0 && len(n.Data) > 0 {
		r = p.toml.Range(n.Data)
	}
	start := p.toml.Shape(r).Start
	return Position{p.file, start.Line, start.Column}
}

func (p *objectiveParser) expression(n *unstable.Node) {
	if n.Kind == unstable.Comment {
		return
	}
	var keys []string
	var pos Position
	for k := n.Key(); k.Next(); {
		if keys == nil {
			pos = p.position(k.Node())
		}
		keys = append(keys, string(k.Node().Data))
	}
	key := strings.Join(keys, ".")
	switch {
	case n.Kind == unstable.ArrayTable && key == "objective":
		p.finish()
		p.table, p.inUnknown = &rawObjective{pos, make(map[string]rawValue)}, false
	case n.Kind == unstable.ArrayTable, n.Kind == unstable.Table:
		p.finish()
		p.inUnknown = true
		if key == "objective" {
			p.fail(pos, "write [[objective]], with two brackets: there may be several")
		} else {
			p.fail(pos, "unknown table %q; want [[objective]]", key)
		}
	case p.inUnknown:
	case p.table == nil && key == "objective":
		p.fail(pos, "write each objective as a table: a line [[objective]], and its keys below")
	case p.table == nil:
		p.fail(pos, "key %q stands outside of an [[objective]]", key)
	case !slices.Contains(objectiveKeys, key):
		p.fail(pos, "unknown key %q; an objective has %s", key, strings.Join(objectiveKeys, ", "))
	default:
		v := n.Value()
		raw := rawValue{v.Kind, string(v.Data), pos}
		switch v.Kind {
		case unstable.String, unstable.Integer, unstable.Float, unstable.Bool:
			raw.pos = p.position(v)
		}
		p.table.values[key] = raw
	}
}

var objectiveKeys = []string{"name", "package", "benchmark", "metric", "max", "min", "budget", "profile", "sample-type", "function", "flat"}

// finish turns the table read last into an objective.
func (p *objectiveParser) finish() {
	t := p.table
	p.table = nil
	if t == nil {
		return
	}
	before := len(p.errs)
	o := Objective{
		Pos:       t.pos,
		Name:      p.text(t, "name"),
		Package:   p.pattern(t, "package"),
		Benchmark: p.pattern(t, "benchmark"),
		Metric:    p.text(t, "metric"),
	}
	for _, required := range []string{"benchmark", "metric"} {
		if _, ok := t.values[required]; !ok {
			p.fail(t.pos, "the objective has no %s", required)
		}
	}
	o.Profile = p.profile(t, &o)
	o.Max, o.Min = p.bound(t, "max", &o), p.bound(t, "min", &o)
	o.Budget = p.budget(t, &o)
	if _, _, ok := firstOf(t, "max", "min", "budget"); !ok {
		p.fail(t.pos, "the objective bounds nothing: give max, min or budget")
	}
	if o.Max != nil && o.Min != nil && o.Max.Dimension == o.Min.Dimension && o.Max.Value < o.Min.Value {
		p.fail(t.values["max"].pos, "max %s is below min %s", o.Max.Text, o.Min.Text)
	}
	if len(p.errs) == before {
		p.objectives = append(p.objectives, o)
	}
}

func firstOf(t *rawObjective, keys ...string) (string, rawValue, bool) {
	for _, k := range keys {
		if v, ok := t.values[k]; ok {
			return k, v, true
		}
	}
	return "", rawValue{}, false
}

func (p *objectiveParser) text(t *rawObjective, key string) string {
	v, ok := t.values[key]
	switch {
	case !ok:
	case v.kind != unstable.String:
		p.fail(v.pos, "%s: want a string in quotes", key)
	case v.text == "":
		p.fail(v.pos, "%s: the string is empty", key)
	}
	return v.text
}

func (p *objectiveParser) pattern(t *rawObjective, key string) *regexp.Regexp {
	if _, ok := t.values[key]; !ok {
		return nil
	}
	re, err := regexp.Compile(p.text(t, key))
	if err != nil {
		p.fail(t.values[key].pos, "%s: %s", key, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re
}

func (p *objectiveParser) profile(t *rawObjective, o *Objective) *ProfileMetric {
	isProfile := o.Metric == metricShare || o.Metric == metricPerOp
	if !isProfile {
		if key, v, ok := firstOf(t, "profile", "sample-type", "function", "flat"); ok {
			p.fail(v.pos, "%s goes with the metrics %q and %q only", key, metricShare, metricPerOp)
		}
		return nil
	}
	if _, ok := t.values["profile"]; !ok {
		p.fail(t.values["metric"].pos, "metric %q is of a profile: say which, for example profile = \"cpu\"", o.Metric)
	}
	m := &ProfileMetric{
		Kind:       p.text(t, "profile"),
		SampleType: p.text(t, "sample-type"),
		Function:   p.pattern(t, "function"),
		PerOp:      o.Metric == metricPerOp,
	}
	if v, ok := t.values["flat"]; ok {
		if v.kind != unstable.Bool {
			p.fail(v.pos, "flat: want true or false")
		}
		m.Flat = v.text == "true"
	}
	if _, ok := t.values["function"]; !ok && !m.PerOp {
		p.fail(t.values["metric"].pos, "metric %q needs a function: the share of all functions is 100 %%", o.Metric)
	}
	if _, v, ok := firstOf(t, "budget"); ok {
		p.fail(v.pos, "budget: profiles are samples of one run each, too few to compare; give max or min")
	}
	return m
}

func (p *objectiveParser) bound(t *rawObjective, key string, o *Objective) *Quantity {
	v, ok := t.values[key]
	if !ok {
		return nil
	}
	q, err := parseQuantity(v)
	if err != nil {
		p.fail(v.pos, "%s: %v", key, err)
		return nil
	}
	if o.Metric == "" {
		return nil
	}
	want := isTime(o.Metric)
	switch {
	case o.Metric == metricPerOp: // known once the profile is
		if q.Dimension == Fraction {
			p.fail(v.pos, "%s: %q is %s, but %s is an amount", key, q.Text, q.Dimension, o.Metric)
		}
	case q.Dimension == Number && o.Metric == metricShare:
		p.fail(v.pos, "%s: write a share with a percent sign: \"10%%\"", key)
	case q.Dimension == Number:
		// In the unit of the metric, whatever that is.
		q.Value, _ = benchunit.Tidy(q.Value, o.Metric)
		q.Dimension = want
	case q.Dimension != want:
		p.fail(v.pos, "%s: %q is %s, but %s is %s", key, q.Text, q.Dimension, o.Metric, want)
	}
	return &q
}

func (p *objectiveParser) budget(t *rawObjective, o *Objective) *float64 {
	v, ok := t.values["budget"]
	if !ok {
		return nil
	}
	q, err := parseQuantity(v)
	switch {
	case err != nil:
		p.fail(v.pos, "budget: %v", err)
	case q.Dimension != Fraction:
		p.fail(v.pos, "budget: want a percentage, such as \"3%%\"")
	case q.Value < 0 || q.Value >= 1:
		p.fail(v.pos, "budget: %s is not from 0 %% to 100 %%", q.Text)
	case o.Metric != "" && DirectionOf(o.Metric, nil) == UnknownBetter:
		p.fail(v.pos, "budget: whether more %s is worse is not known; give max or min", o.Metric)
	}
	return &q.Value
}

// quantityUnits are the units of bounds, in seconds, bytes and fractions.
// Prefixes as in benchunit and humane tools: k is 1000, Ki is 1024.
var quantityUnits = map[string]Quantity{
	"ns": {1e-9, Time, ""}, "us": {1e-6, Time, ""}, "µs": {1e-6, Time, ""}, "μs": {1e-6, Time, ""},
	"ms": {1e-3, Time, ""}, "s": {1, Time, ""}, "min": {60, Time, ""},
	"B": {1, Bytes, ""}, "kB": {1e3, Bytes, ""}, "KB": {1e3, Bytes, ""}, "MB": {1e6, Bytes, ""}, "GB": {1e9, Bytes, ""},
	"KiB": {1 << 10, Bytes, ""}, "MiB": {1 << 20, Bytes, ""}, "GiB": {1 << 30, Bytes, ""},
	"%": {0.01, Fraction, ""},
}

func parseQuantity(v rawValue) (Quantity, error) {
	switch v.kind {
	case unstable.Integer, unstable.Float, unstable.String:
	default:
		return Quantity{}, errors.New(`want a number, or a string with a unit: "1.5ms"`)
	}
	text := strings.TrimSpace(v.text)
	end := strings.LastIndexAny(text, "0123456789.") + 1
	digits, unit := text[:end], strings.TrimSpace(text[end:])
	if v.kind != unstable.String {
		digits, unit = strings.ReplaceAll(text, "_", ""), ""
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return Quantity{}, fmt.Errorf("%q does not begin with a number", text)
	}
	if unit == "" {
		return Quantity{n, Number, text}, nil
	}
	u, ok := quantityUnits[unit]
	if !ok {
		return Quantity{}, fmt.Errorf("unknown unit %q; want one of %s", unit, strings.Join(slices.Sorted(maps.Keys(quantityUnits)), " "))
	}
	return Quantity{n * u.Value, u.Dimension, text}, nil
}
