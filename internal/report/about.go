package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hone-go/hone/profile"
)

// Quantity is a value with the text it is printed as and its share of the total.
type Quantity struct {
	Value   int64   `json:"value"` // in the sample type's unit
	Text    string  `json:"text"`
	Percent float64 `json:"percent"` // of Total, 0 to 100; signed
}

func (s *scale) quantity(v int64) Quantity {
	q := Quantity{Value: v, Text: s.format(v)}
	if s.total != 0 {
		q.Percent = 100 * float64(v) / float64(s.total)
	}
	return q
}

// About tells what a report is of.
type About struct {
	Header     []string `json:"header"` // as printed above the report
	SampleType string   `json:"sampleType"`
	Unit       string   `json:"unit"` // of all values
	Total      Quantity `json:"total"`
}

func (r *Report) about(header []string) About {
	if header == nil {
		header = []string{} // in JSON, too
	}
	return About{Header: header, SampleType: r.sampleType, Unit: r.sampleUnit, Total: r.quantity(r.total)}
}

// Place is what a row of a report is about.
type Place struct {
	Name    string `json:"name"` // as printed: address, function and place
	Func    string `json:"function,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int64  `json:"line,omitempty"`
	Column  int64  `json:"column,omitempty"`
	Address uint64 `json:"address,omitempty"`
}

func (n *node) place() Place {
	return Place{n.printableName(), n.name, n.file, n.line, n.column, n.address}
}

// ProfileHeader returns the lines that say what the profile is: file, build id,
// comments, type, time and duration.
func (r *Report) ProfileHeader() []string {
	p := r.prof
	var lines []string
	if len(p.Mappings) > 0 {
		if f := p.Mappings[0].File; f != "" {
			lines = append(lines, "File: "+filepath.Base(f))
		}
		if id := p.Mappings[0].BuildID; id != "" {
			lines = append(lines, "Build ID: "+id)
		}
	}
	for _, c := range p.Comments {
		if !strings.HasPrefix(c, "#") {
			lines = append(lines, c)
		}
	}
	if r.sampleType != "" {
		lines = append(lines, "Type: "+r.sampleType)
	}
	if p.DocURL != "" {
		lines = append(lines, "Doc: "+p.DocURL)
	}
	if p.TimeNanos != 0 {
		lines = append(lines, "Time: "+time.Unix(0, p.TimeNanos).Format("2006-01-02 15:04:05 MST"))
	}
	if p.DurationNanos != 0 {
		share := ""
		if total, unit := profile.Convert(r.total, r.sampleUnit, "nanoseconds"); unit == "ns" && total != 0 {
			share = "(" + percentage(int64(total), p.DurationNanos) + ")"
		}
		lines = append(lines, fmt.Sprintf("Duration: %s, Total samples = %s %s",
			formatValue(p.DurationNanos, "nanoseconds", "auto"), r.format(r.total), share))
	}
	return lines
}

// tableHeader returns the lines above a table or in a picture's legend. edges is the
// number of dropped edges to tell of; full is for pictures.
func tableHeader(r *Report, t *trimmed, edges int, full bool) []string {
	var lines []string
	if full || !r.opt.CompactLabels {
		lines = r.ProfileHeader()
	}
	if len(r.filters) > 0 {
		lines = append(lines, "Active filters:")
		for _, f := range r.filters {
			if len(f) > 80 {
				f = f[:80] + "…"
			}
			lines = append(lines, "   "+f)
		}
	}
	var shown int64
	for _, n := range t.order {
		shown += t.nodes[n].flatValue()
	}
	lines = append(lines, fmt.Sprintf("Showing nodes accounting for %s, %s of %s total",
		r.format(shown), strings.TrimSpace(r.percent(shown)), r.format(r.total)))
	if r.total != 0 {
		dropped := func(n int, what, measure string, fraction float64) {
			if n == 0 {
				return
			}
			if n > 1 {
				what += "s"
			}
			cutoff := abs(int64(float64(r.total) * fraction))
			lines = append(lines, fmt.Sprintf("Dropped %d %s (%s <= %s)", n, what, measure, r.format(cutoff)))
		}
		dropped(t.droppedNodes, "node", "cum", r.opt.NodeFraction)
		dropped(edges, "edge", "freq", r.opt.EdgeFraction)
		if n := len(t.order); n > 0 && n < t.survivors {
			lines = append(lines, fmt.Sprintf("Showing top %d nodes out of %d", n, t.survivors))
		}
	}
	if full {
		lines = append(lines, "\nSee https://git.io/JfYMW for how to read the graph")
	}
	return lines
}
