package objective

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
)

// Parse reads the text of an objectives file. All that is wrong is
// reported at once: the error joins *Errors, in the order of the file.
func Parse(file string, text []byte) ([]Objective, error) {
	text, err := infile.Text(text)
	if err != nil {
		return nil, &Error{Position{file, 1, 1}, err}
	}
	// First for the syntax and duplicate keys, which the second pass, over the
	// syntax tree for the sake of positions, does not see.
	var everything map[string]any
	if err := toml.Unmarshal(text, &everything); err != nil {
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			line, column := syntax.Position()
			message := strings.TrimPrefix(syntax.Error(), "toml: ")
			return nil, &Error{Position{file, line, column}, errors.New(message)}
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p := &parser{file: file}
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

type parser struct {
	file       string
	toml       unstable.Parser
	objectives []Objective
	table      *rawTable
	inUnknown  bool // below a table that was reported
	errs       []error
}

// A rawTable is an [[objective]] table: its values, and where each is.
type rawTable struct {
	pos    Position
	values map[string]rawValue
}

type rawValue struct {
	kind unstable.Kind
	text string
	pos  Position
}

func (p *parser) fail(pos Position, format string, args ...any) {
	p.errs = append(p.errs, &Error{pos, fmt.Errorf(format, args...)})
}

func (p *parser) position(n *unstable.Node) Position {
	r := n.Raw
	if r.Length == 0 && len(n.Data) > 0 {
		r = p.toml.Range(n.Data)
	}
	start := p.toml.Shape(r).Start
	return Position{p.file, start.Line, start.Column}
}

func (p *parser) expression(n *unstable.Node) {
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
		p.table, p.inUnknown = &rawTable{pos, make(map[string]rawValue)}, false
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
		p.fail(pos, "key %q is outside an [[objective]] table", key)
	case !slices.Contains(knownKeys, key):
		p.fail(pos, "unknown key %q; an objective has %s", key, strings.Join(knownKeys, ", "))
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

var knownKeys = []string{"name", "package", "benchmark", "metric", "max", "min", "budget", "profile", "sample-type", "function", "flat"}

// finish turns the table read last into an objective.
func (p *parser) finish() {
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
		p.fail(t.pos, "the objective has no bound: add max, min or budget")
	}
	if o.Max != nil && o.Min != nil && o.Max.Dimension == o.Min.Dimension && o.Max.Value < o.Min.Value {
		p.fail(t.values["max"].pos, "max %s is below min %s", o.Max.Text, o.Min.Text)
	}
	if len(p.errs) == before {
		p.objectives = append(p.objectives, o)
	}
}

func firstOf(t *rawTable, keys ...string) (string, rawValue, bool) {
	for _, k := range keys {
		if v, ok := t.values[k]; ok {
			return k, v, true
		}
	}
	return "", rawValue{}, false
}

func (p *parser) text(t *rawTable, key string) string {
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

func (p *parser) pattern(t *rawTable, key string) *regexp.Regexp {
	if _, ok := t.values[key]; !ok {
		return nil
	}
	re, err := regexp.Compile(p.text(t, key))
	if err != nil {
		p.fail(t.values[key].pos, "%s: %s", key, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re
}

func (p *parser) profile(t *rawTable, o *Objective) *ProfileMetric {
	isProfile := o.Metric == metricShare || o.Metric == metricPerOp
	if !isProfile {
		if key, v, ok := firstOf(t, "profile", "sample-type", "function", "flat"); ok {
			p.fail(v.pos, "%s goes with the metrics %q and %q only", key, metricShare, metricPerOp)
		}
		return nil
	}
	if _, ok := t.values["profile"]; !ok {
		p.fail(t.values["metric"].pos, "metric %q comes from a profile: name it, for example profile = \"cpu\"", o.Metric)
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
		p.fail(v.pos, "budget: a profile is a sample of one run, too few to compare; use max or min")
	}
	return m
}

func (p *parser) bound(t *rawTable, key string, o *Objective) *Quantity {
	v, ok := t.values[key]
	if !ok {
		return nil
	}
	q, err := parseQuantity(v.kind, v.text)
	if err != nil {
		p.fail(v.pos, "%s: %v", key, err)
		return nil
	}
	if o.Metric == "" {
		return nil
	}
	want := dimensionOf(o.Metric)
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

func (p *parser) budget(t *rawTable, o *Objective) *float64 {
	v, ok := t.values["budget"]
	if !ok {
		return nil
	}
	q, err := parseQuantity(v.kind, v.text)
	switch {
	case err != nil:
		p.fail(v.pos, "budget: %v", err)
	case q.Dimension != Fraction:
		p.fail(v.pos, "budget: want a percentage, such as \"3%%\"")
	case q.Value < 0 || q.Value >= 1:
		p.fail(v.pos, "budget %s is out of range: use 0 %% to 100 %%", q.Text)
	case o.Metric != "" && experiment.DirectionOf(o.Metric, nil) == experiment.UnknownBetter:
		p.fail(v.pos, "budget: whether more %s is worse is unknown; use max or min", o.Metric)
	}
	return &q.Value
}
