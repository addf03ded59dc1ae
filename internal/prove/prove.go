package prove

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/differ"
)

// A Prover judges changes of the module around a folder.
type Prover struct {
	Dir  string // "" is the current folder
	Base string // what the candidates change: a branch, tag or commit; "" is HEAD
	// Bench is how to measure. Dir and Packages are set for each measurement; with a Pattern,
	// its benchmarks are measured, and not those that execute the change. For is for all
	// measurements together.
	Bench     bench.Bench
	TestFlags []string // for go test: "-short"
	// Generate writes benchmarks from the base's tests where none executes the change.
	Generate bool
	Stdin    io.Reader
	// Stage receives what is being done. It may be nil.
	Stage func(stage, what string)
}

// A Proof is what is known about candidates for a change.
type Proof struct {
	Base       string      `json:"base"`   // as it was named
	Commit     string      `json:"commit"` // of the base
	Candidates []Candidate `json:"candidates"`
	// Between compares the candidates that are not wrong with each other.
	Between []Pair `json:"between"`
	// Best is the candidate that is right and faster than the base, and than all others that are,
	// or "" if there is none.
	Best    string  `json:"best"`
	Seconds float64 `json:"seconds"`
}

// A Candidate is a change, and what is known about it.
type Candidate struct {
	Name string `json:"name"`
	Check
	Files []string `json:"files"` // that it changes, from the top of the repository
	// Functions are those that it changes, with what tests execute of them.
	Functions []Function `json:"functions"`
	// Compared says whether exported functions return the same as those of the base; nil if that wasn't tried.
	Compared *differ.Compared `json:"compared,omitempty"`
	// Benchmarks are the functions that were measured, by package.
	Benchmarks map[string][]string `json:"benchmarks"`
	// Written are those among them that were written from tests for this measurement.
	Written []Written `json:"written"`
	*Measurement
}

// A Pair compares two candidates: faster means that the second is.
type Pair struct {
	First  string `json:"first"`
	Second string `json:"second"`
	*Measurement
}

// Prove judges what arguments name: patches, revisions, or without any the working tree.
func (p *Prover) Prove(ctx context.Context, args []string) (_ *Proof, err error) {
	begin := time.Now()
	asked, err := readRequest(ctx, args, p.Base, p.Stdin)
	if err != nil {
		return nil, err
	}
	copied, err := openCopy(ctx, p.Dir, asked.base)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	var candidates []*candidate
	for _, s := range asked.candidates {
		one, err := copied.makeCandidate(ctx, s)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, one)
	}
	c := &checker{scratchCopy: copied, buildFlags: p.Bench.BuildFlags, testFlags: p.TestFlags, stage: p.stage}
	var all []*examined
	for _, one := range candidates {
		e, err := c.examine(ctx, one)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	plans, base, err := p.planAll(ctx, c, all)
	if err != nil {
		return nil, err
	}
	results, pairs, err := p.measureAll(ctx, c, plans, base)
	if err != nil {
		return nil, err
	}
	proof := &Proof{Base: copied.Name, Commit: copied.Base, Candidates: results, Between: pairs, Best: best(results, pairs), Seconds: rounded(time.Since(begin))}
	return proof, nil
}

func (p *Prover) stage(stage, what string) {
	if p.Stage != nil {
		p.Stage(stage, what)
	}
}

// measureAll compares candidates that have benchmarks with a commit of the base, and with each other.
func (p *Prover) measureAll(ctx context.Context, c *checker, plans []*plan, base string) ([]Candidate, []Pair, error) {
	var measured []*plan
	for _, one := range plans {
		if len(one.benchmarks) > 0 {
			measured = append(measured, one)
		}
	}
	b := p.Bench
	b.Comparisons = len(measured) * (len(measured) + 1) / 2
	rest := allowance{p.Bench.For, b.Comparisons}
	compared := func(with string, one *plan, benchmarks selection) (*Measurement, error) {
		if err := c.checkOut(ctx, one.tree); err != nil {
			return nil, err
		}
		b.For = rest.share()
		m, err := c.measure(ctx, b, with, benchmarks)
		if err == nil {
			rest = rest.after(m)
		}
		return m, err
	}
	results, pairs := make([]Candidate, len(plans)), []Pair{}
	for i, one := range plans {
		results[i] = one.result()
		if len(one.benchmarks) == 0 {
			results[i].Measurement = one.unmeasured(p.Generate)
			continue
		}
		m, err := compared(base, one, one.benchmarks)
		if err != nil {
			return nil, nil, err
		}
		results[i].Measurement = m
	}
	for k, first := range measured {
		if k == len(measured)-1 {
			break
		}
		name, err := c.commit(ctx, first.tree, first.name)
		if err != nil {
			return nil, nil, err
		}
		for _, second := range measured[k+1:] {
			m, err := compared(name, second, first.benchmarks.and(second.benchmarks))
			if err != nil {
				return nil, nil, err
			}
			pairs = append(pairs, Pair{first.name, second.name, m})
		}
	}
	return results, pairs, nil
}

// An allowance is the time that is left to measure, 0 if it has no limit, and for how many
// comparisons.
type allowance struct {
	left        time.Duration
	comparisons int
}

// share is the time for the next comparison: what one leaves is for those after it.
func (a allowance) share() time.Duration {
	if a.left == 0 {
		return 0
	}
	return max(time.Second, (a.left / time.Duration(max(1, a.comparisons))).Truncate(100*time.Millisecond))
}

// after is what a comparison leaves.
func (a allowance) after(m *Measurement) allowance {
	if a.left > 0 {
		a.left = max(1, a.left-m.took)
	}
	return allowance{a.left, a.comparisons - 1}
}

// result is what is known of a candidate before it is measured.
func (p *plan) result() Candidate {
	r := Candidate{
		Name: p.name, Check: p.check, Files: []string{}, Functions: append([]Function{}, p.functions...), Compared: p.compared,
		Benchmarks: p.benchmarks, Written: append([]Written{}, p.written...),
	}
	for _, f := range p.files {
		r.Files = append(r.Files, f.path)
	}
	if p.benchmarks == nil {
		r.Benchmarks = map[string][]string{}
	}
	return r
}

// unmeasured says why a candidate wasn't measured.
func (p *plan) unmeasured(generate bool) *Measurement {
	why := "no benchmark executes what it changes"
	switch {
	case p.check.State == Wrong:
		why = "it is wrong"
	case len(p.changed) == 0:
		why = "it changes no package"
	case len(p.refused) > 0:
		why += ", and none could be written from tests: " + strings.Join(p.refused, "; ")
	case generate:
		why += ", and tests call no exported function that does with inputs that can be copied"
	case len(p.functions) > 0:
		why += "; -gen writes one from tests, hone bench -new " + p.functions[0].Name + " a skeleton"
	}
	return notMeasured(why)
}

// best is the candidate that is right and faster than the base, and than each other one of
// these; "" if none is.
func best(all []Candidate, pairs []Pair) string {
	var good []string
	for i := range all {
		if all[i].State == Right && all[i].Speed == Faster && !all[i].Regression {
			good = append(good, all[i].Name)
		}
	}
	for _, name := range good {
		if !slices.ContainsFunc(good, func(other string) bool { return other != name && !beats(name, other, pairs) }) {
			return name
		}
	}
	return ""
}

// beats reports whether a candidate was measured to be faster than another.
func beats(name, other string, pairs []Pair) bool {
	return slices.ContainsFunc(pairs, func(p Pair) bool {
		return p.First == other && p.Second == name && p.Speed == Faster || p.First == name && p.Second == other && p.Speed == Slower
	})
}

// Missed reports whether a candidate is wrong or does something else, or something got worse with it.
func (p *Proof) Missed() bool {
	return slices.ContainsFunc(p.Candidates, func(c Candidate) bool { return c.State == Wrong || c.State == Different || c.Regression })
}

// Unmeasured is how many candidates, or their benchmarks, could not be measured. Wrong ones
// didn't have to be.
func (p *Proof) Unmeasured() int {
	n := 0
	for i := range p.Candidates {
		switch c := &p.Candidates[i]; {
		case c.State == Wrong:
		case c.Speed == NotMeasured:
			n++
		default:
			n += len(c.Failures)
		}
	}
	return n
}
