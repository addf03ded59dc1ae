// Package report computes reports from profiles: tables, call graphs, flame
// graphs, annotated source, comparisons.
//
// A report is first a value (see [Report.Top] and its siblings). Text, JSON, DOT
// and HTML are written from that value. The text is byte for byte that of
// `go tool pprof`; doc/reference/pprof-differences.md lists the exceptions.
//
// Data flows one way through the files:
//
//	options, selection, filter, mine  which samples and frames count
//	prepare, report                   a profile made ready for one report
//	graph, trim, tag_collector        the call graph that tables and pictures show
//	about, text, list, traces, …      reports as values, and their text
//	diff, diff_compare, diff_print    a comparison of two sides
//	flame_layout, flame_window, …     flame graphs: layout, what is visible, formats
//	generate                          a report by the name of its command
package report

import (
	"regexp"

	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// baseLabel marks the samples of the base in a comparison.
const baseLabel = "pprof::base"

// Report is a profile made ready for one report: filtered, aggregated and with
// its totals. It keeps no reference to the caller's options.
type Report struct {
	selection
	scale
	frames  profile.Granularity // what tells frames apart
	symbol  *regexp.Regexp      // the command's argument, if any
	index   int                 // of the sample type
	weights weights
	filters []string
}

// A scale prints values of a sample type.
type scale struct {
	total      int64 // of the samples' absolute values, before filtering
	sampleType string
	sampleUnit string
	outputUnit string
	ratio      float64
	rate       rate // how values per second are printed
}

// format prints a value of the report's sample type.
func (s *scale) format(v int64) string {
	if s.ratio > 0 && s.ratio != 1 {
		v = int64(float64(v) * s.ratio)
	}
	return formatRate(v, s.sampleUnit, s.outputUnit, s.rate)
}

// percent prints a share of the total.
func (s *scale) percent(v int64) string { return percentage(v, s.total) }

// Total returns the sum of the absolute values of all samples, in the sample
// type's own unit.
func (s *scale) Total() int64 { return s.total }

// newLayout finds the nodes of the profile, with file names shortened.
func (r *Report) newLayout() *layout {
	objects := false
	switch r.command {
	case "raw", "list", "weblist", "disasm", "callgrind", "kcachegrind":
		objects = true
	}
	return newLayout(r.prof, r.frames, objects, srcfind.NewTrimmer(r.opt.TrimPath, r.opt.SourcePath).Trim)
}

// picture reports whether the report is a drawing of the call graph.
func (r *Report) picture() bool {
	switch r.command {
	case "dot", "svg", "png", "gif", "ps", "pdf", "web", "eog", "evince", "gv":
		return true
	}
	return false
}
