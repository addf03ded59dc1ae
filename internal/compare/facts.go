package compare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchstat"
)

// facts are what a report tells, in its order: markdown.go and html.go print
// them. A format may fold a part, or add the medians, but leaves nothing out.
type facts struct {
	pairs       []pairFacts
	alone       string // where nothing is compared: the only column's label
	empty       bool   // nothing was measured
	notes       []string
	environment []fact
	warnings    []string

	// The others are in Markdown only.
	verdict verdict
	medians [][]string // where nothing is compared: cells of the only column
	methods []string   // how the pairs were compared, and what is known of their noise
	repeat  string     // a command
	links   []Link
}

// pairFacts are those of two sides.
type pairFacts struct {
	summary, head, base, method string
	columns                     []string // of changed and same
	changed, same               []Row
	explained                   []*explanation
	verdict                     verdict
}

// A fact is something that the figures depend on: {"CPU", "AMD EPYC"}.
type fact struct{ name, value string }

const nothingMeasured = "nothing was measured"

func (c *Comparison) facts() facts {
	f := facts{empty: !c.measured(), notes: c.notes, environment: c.environment(), warnings: c.Warnings, repeat: c.repeat(), links: c.Links}
	if !f.empty && len(c.Sides) == 0 {
		f.alone, f.medians = c.inputs[0].Label, c.medians()
	}
	for _, s := range c.Sides {
		p := pairFacts{
			summary: s.Summary(), head: s.head.Label, base: s.base.Label, method: s.method(), explained: s.explained,
			columns: []string{"benchmark", "unit", s.base.Label, s.head.Label, "change", fmt.Sprintf("%.0f %% interval", 100*(1-s.Alpha)), "verdict"},
		}
		rows := s.Rows()
		p.verdict = verdictOf(s, rows)
		for _, r := range rows {
			if r.changed {
				p.changed = append(p.changed, r)
			} else {
				p.same = append(p.same, r)
			}
		}
		f.pairs = append(f.pairs, p)
		f.methods = append(f.methods, p.method)
		if s.Layout != nil {
			f.methods = append(f.methods, s.Layout.String())
		}
	}
	f.methods = eachOnce(f.methods)
	f.verdict = c.overall(f.pairs)
	return f
}

// measured reports whether there are any results.
func (c *Comparison) measured() bool {
	return len(c.tables) > 0 || c.restored != nil && c.restored.measured
}

// medians are the values of the only column.
func (c *Comparison) medians() (cells [][]string) {
	if c.restored != nil {
		return c.restored.medians
	}
	for _, t := range c.tables {
		for _, r := range t.Rows {
			for _, cell := range r.Cells {
				cells = append(cells, medianCells(r.Benchmark, t.Unit, cell, cell.Samples()))
			}
		}
	}
	return cells
}

func medianCells(benchmark, unit string, c *benchstat.TableCell, samples int) []string {
	return []string{benchmark, unit, Tidied(c.Summary.Center, unit), "± " + strings.TrimSpace(c.Spread()), strconv.Itoa(samples)}
}

// unchanged is the title of what did not change.
func (p *pairFacts) unchanged() string {
	alone := 0
	for _, r := range p.same {
		if r.outcome == experiment.OneSided {
			alone++
		}
	}
	title := fmt.Sprintf("%d without a change that can be told from noise", len(p.same)-alone)
	if alone == len(p.same) {
		title = fmt.Sprintf("%d on one side only", alone)
	} else if alone > 0 {
		title += fmt.Sprintf(", %d on one side only", alone)
	}
	return title
}

// environment lists what the runs were measured with.
func (c *Comparison) environment() []fact {
	var all []fact
	seen := make(map[string]bool)
	for _, in := range c.inputs {
		if in.run == nil || seen[in.run.ID] {
			continue
		}
		seen[in.run.ID] = true
		prefix := ""
		if len(c.inputs) > 2 || c.inputs[0].run != c.inputs[len(c.inputs)-1].run {
			prefix = in.Label + ", "
		}
		e := in.run.Environment
		for _, f := range []fact{
			{"run", in.run.ID}, {"command", CommandLine(in.run.Command)}, {"measured", in.run.Created.Format("2006-01-02 15:04 MST")},
			{"revision", RevisionsText(&in.run.Head, in.run.Base)},
			{"system", strings.Trim(e.GOOS+"/"+e.GOARCH, "/")}, {"CPU", e.CPU}, {"cores", strconv.Itoa(e.Cores)}, {"governor", e.Governor}, {"load", e.Load},
			{"Go", e.Go}, {"GOGC", e.GOGC}, {"GOMEMLIMIT", e.GOMEMLIMIT}, {"GOMAXPROCS", e.GOMAXPROCS}, {"GODEBUG", e.GODEBUG}, {"GOFLAGS", e.GOFLAGS},
		} {
			if f.value != "" && f.value != "0" && f.value != "-" {
				all = append(all, fact{prefix + f.name, f.value})
			}
		}
	}
	return all
}
