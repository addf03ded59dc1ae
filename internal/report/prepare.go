package report

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hone-go/hone/profile"
)

// New prepares the report that a command of `go tool pprof` makes: it applies
// label frames, filters and aggregation of o to p. param is the command's
// argument, "" if it has none.
func New(p *profile.Profile, command, param string, o Options, env Env) (*Report, error) {
	r := &Report{selection: selection{command: command, env: env, held: held{budget: env.Budget}, opt: override(command, o)}}
	if err := r.start(p); err != nil {
		return nil, err
	}
	if r.opt.RelativePercentages {
		if err := r.filter(); err != nil {
			return nil, err
		}
	}
	if err := r.measure(param); err != nil {
		return nil, err
	}
	if !r.opt.RelativePercentages {
		if err := r.filter(); err != nil {
			return nil, err
		}
	}
	var err error
	if r.frames, err = granularity(r.opt); err != nil {
		return nil, err
	}
	switch command {
	case "raw", "proto":
		// These keep the profile's own frames, except for inlined ones.
		if r.opt.NoInlines {
			r.prof = profile.Aggregate(r.prof, r.frames)
		}
	}
	r.setWeights()
	return r, r.Err()
}

// Select returns p with the label frames that o asks for and without what its
// filters drop: what a flame graph or a comparison is made from.
func Select(p *profile.Profile, o Options, env Env) (*profile.Profile, error) {
	r := &selection{env: env, opt: o}
	if err := r.start(p); err != nil {
		return nil, err
	}
	if err := r.filter(); err != nil {
		return nil, err
	}
	return r.prof, r.Err()
}

// start sets the report's profile to p with foreign frames folded and labels turned into
// frames, as the options ask. Label frames come last: folding must not take them for code.
func (s *selection) start(p *profile.Profile) error {
	folded, err := s.fold(p)
	if err != nil {
		return err
	}
	if folded != p {
		s.unfolded = p
	}
	return s.addLabelFrames(folded)
}

// addLabelFrames sets the report's profile to p with labels turned into frames.
func (s *selection) addLabelFrames(p *profile.Profile) error {
	var ignored map[string][]string
	s.units, ignored = p.NumLabelUnits()
	for key, units := range ignored {
		s.warn("For tag %s used unit %s, also encountered unit(s) %s", key, s.units[key], strings.Join(units, ", "))
	}
	o := s.opt
	roots, leaves := splitKeys(o.TagRoot), splitKeys(o.TagLeaf)
	// Tables tell functions by their names: equal values of two labels would be one.
	keyed := !s.env.Compat && len(roots)+len(leaves) > 1
	q, rootHit, leafHit, err := profile.AddLabelFrames(s.env.Context, p, roots, leaves, keyed, func(v int64, unit string) string {
		if unit == "" {
			return formatValue(v, "", "")
		}
		return formatValue(v, unit, o.Unit)
	})
	if err != nil {
		return err
	}
	s.warnNoMatch(o.TagRoot == "" || rootHit, "TagRoot")
	s.warnNoMatch(o.TagLeaf == "" || leafHit, "TagLeaf")
	s.prof = q
	return nil
}

// setWeights takes the value columns from the profile. Filters replace them.
func (r *Report) setWeights() {
	r.weights = weights{values: r.prof.Values[r.index]}
	if r.opt.Mean {
		r.weights.divs = r.prof.Values[0]
	}
}

// measure chooses the sample type, and sets its units and total.
func (r *Report) measure(param string) error {
	o := r.opt
	if len(r.prof.SampleTypes) == 0 {
		return errors.New("profile has no samples")
	}
	index, err := r.prof.SampleIndex(o.SampleIndex)
	if err != nil {
		return err
	}
	if o.DivideBy == 0 {
		return errors.New("zero divisor specified")
	}
	r.index = index
	t := r.prof.SampleTypes[index]
	r.sampleType, r.sampleUnit = t.Type, t.Unit
	if o.Mean {
		r.sampleType = "mean_" + t.Type
	}
	r.outputUnit, r.rate = o.Unit, rateOf(t, o.PerSecond)
	r.ratio = 1 / o.DivideBy
	for _, f := range [...]struct{ name, value string }{
		{"focus", o.Focus}, {"ignore", o.Ignore}, {"hide", o.Hide}, {"show", o.Show}, {"show_from", o.ShowFrom},
		{"tagfocus", o.TagFocus}, {"tagignore", o.TagIgnore}, {"tagshow", o.TagShow}, {"taghide", o.TagHide}, {"mine", o.Mine},
	} {
		if f.value != "" {
			r.filters = append(r.filters, f.name+"="+f.value)
		}
	}
	if param != "" {
		if r.symbol, err = regexp.Compile(param); err != nil {
			return fmt.Errorf("parsing argument regexp %s: %v", param, err)
		}
	}
	r.setWeights()
	r.total = totalOf(r.prof, r.weights)
	return nil
}

// totalOf returns the total of the samples' absolute values. In a comparison it is
// the base's total, so that percentages tell the change relative to the base.
func totalOf(p *profile.Profile, w weights) int64 {
	isBase := make([]bool, max(1, len(p.LabelSets)))
	for i, set := range p.LabelSets {
		for _, l := range p.Labels[set.Start : set.Start+set.Len] {
			if !l.Numeric && p.Strings[l.Key] == baseLabel && p.Strings[l.Str] == "true" {
				isBase[i] = true
			}
		}
	}
	var total, div, baseTotal, baseDiv int64
	for s := range p.Stacks {
		v, d := w.of(s)
		v = abs(v)
		total += v
		div += d
		if p.SampleLabels != nil && isBase[p.SampleLabels[s]] {
			baseTotal += v
			baseDiv += d
		}
	}
	if baseTotal > 0 {
		total, div = baseTotal, baseDiv
	}
	return mean(total, div)
}

// override returns the options as the command needs them: listings must not
// lose the function asked for, and some formats need addresses.
func override(command string, o Options) Options {
	trim := o.Trim
	nodeCount := o.NodeCount
	switch command {
	case "disasm":
		// One source position per address: inlined frames would count it twice.
		trim, o.Granularity, o.NoInlines = false, "addresses", true
	case "weblist":
		trim, o.Granularity, o.NoInlines = false, "addresses", false
	case "peek":
		trim = false
	case "list":
		trim, o.Granularity = false, "lines"
	case "text", "top", "topproto":
		if nodeCount == -1 {
			nodeCount = 0
		}
	default:
		if nodeCount == -1 {
			nodeCount = 80
		}
	}
	switch command {
	case "proto", "raw", "callgrind", "kcachegrind":
		trim, o.Granularity = false, "addresses"
	}
	o.NodeCount = nodeCount
	if !trim {
		o.NodeCount, o.NodeFraction, o.EdgeFraction = 0, 0, 0
	}
	return o
}

// granularity returns what tells frames apart.
func granularity(o Options) (profile.Granularity, error) {
	g := profile.Granularity{Inlines: !o.NoInlines, Column: o.ShowColumns}
	switch o.Granularity {
	case "", "functions":
		g.Function = true
	case "addresses":
		g.Function, g.File, g.Line, g.Address = true, true, true, true
		g.Column = g.Column || g.Inlines // as in go tool pprof
	case "lines":
		g.Function, g.File, g.Line = true, true, true
	case "files":
		g.File = true
	case "filefunctions":
		g.Function, g.File = true, true
	default:
		return g, fmt.Errorf("unexpected granularity")
	}
	return g, nil
}

func splitKeys(s string) []string {
	var keys []string
	for _, k := range strings.Split(s, ",") {
		if k != "" {
			keys = append(keys, k)
		}
	}
	return keys
}
