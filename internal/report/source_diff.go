package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/hone-go/hone/internal/srcfind"
)

// SourceDiff is the source of functions on the two sides of a comparison, line by line.
type SourceDiff struct {
	SampleType string         `json:"sampleType"`
	Unit       string         `json:"unit"`
	Base       Revision       `json:"base"`
	Head       Revision       `json:"head"`
	Funcs      []FunctionDiff `json:"functions"` // the largest change first
}

// Revision is what the code of one side is called in its repository.
type Revision struct {
	Name     string `json:"name,omitempty"` // a commit, a tag or a version; none if it is unknown
	Modified bool   `json:"modified"`       // it was built with uncommitted changes
	Several  bool   `json:"several"`        // its profiles have several
}

// FunctionDiff is one function on both sides.
type FunctionDiff struct {
	Name  string     `json:"name"`
	Base  SourceSide `json:"base"`
	Head  SourceSide `json:"head"`
	Lines []LinePair `json:"lines"`
}

// SourceSide is what one side costs, and where its source comes from.
type SourceSide struct {
	File string   `json:"file,omitempty"` // as the profile names it
	Flat Quantity `json:"flat"`
	Cum  Quantity `json:"cum"`
	SourceFile
	Commit string `json:"commit,omitempty"` // that the file was read at; none for the file as it is now
	Missed string `json:"missed,omitempty"` // why the file could not be read at the revision of this side
	Lines  int    `json:"lines"`            // those of the source that are shown
	Absent bool   `json:"absent"`           // its file doesn't have the function
}

// LinePair has the same line of both sides, or what one side has in place of the other's.
// A line without a counterpart is alone.
type LinePair struct {
	Base *SourceLine `json:"base,omitempty"`
	Head *SourceLine `json:"head,omitempty"`
	Same bool        `json:"same"` // both have the same text
}

// A SourceOf is one side of a comparison: its report by weblist, and how to find its source.
type SourceOf struct {
	Report   *Report
	Revision Revision
	// Texts find the file of a function, in the order in which they are tried.
	Texts []func(file string) (*srcfind.Text, error)
}

// mostDiffed is how many functions are shown: each file of each has to be found.
const mostDiffed = 20

// DiffSource compares the source of the functions that match the reports' argument.
func DiffSource(base, head SourceOf) (*SourceDiff, error) {
	sums := [2]map[string]*diffed{}
	for i, side := range []SourceOf{base, head} {
		var err error
		if sums[i], err = side.functions(); err != nil {
			return nil, err
		}
	}
	names := slices.Sorted(maps.Keys(sums[1]))
	for _, name := range slices.Sorted(maps.Keys(sums[0])) {
		if sums[1][name] == nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no matches found for regexp: %v", head.Report.symbol)
	}
	change := func(name string) int64 { return abs(sums[1][name].cost() - sums[0][name].cost()) }
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(change(b), change(a)) })
	d := &SourceDiff{SampleType: head.Report.sampleType, Unit: head.Report.sampleUnit, Base: base.Revision, Head: head.Revision, Funcs: []FunctionDiff{}}
	for _, name := range names[:min(len(names), mostDiffed)] {
		d.Funcs = append(d.Funcs, diffFunction(name, base, head, sums[0][name], sums[1][name]))
	}
	return d, nil
}

// A diffed is what a function costs on one side; nil if it costs nothing there.
type diffed struct {
	file   string
	span   *webSpan
	source *webSource
}

// cost is what the change of a function is ordered by: its own, or else that with callees.
func (d *diffed) cost() int64 {
	if d == nil {
		return 0
	}
	return cmp.Or(d.span.flat, d.span.cum)
}

// functions returns what each function costs in each line, by name. One that several files
// have is that of the file where it costs most.
func (s SourceOf) functions() (map[string]*diffed, error) {
	b := &webLister{r: s.Report, byAddr: map[codeAddr]*addrSum{}, wanted: map[string]bool{}, functions: map[webKey]*webSource{}}
	b.collect()
	spans := map[webKey]*webSpan{}
	for key, source := range b.functions {
		span := &webSpan{webKey: key}
		spans[key] = span
		for _, line := range source.lines {
			line.span = span
		}
	}
	b.measure()
	if err := s.Report.Err(); err != nil {
		return nil, err
	}
	byFile := func(a, b webKey) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.file, b.file)) }
	out := map[string]*diffed{}
	for _, key := range slices.SortedFunc(maps.Keys(spans), byFile) {
		if last := out[key.name]; last == nil || abs(spans[key].cum) > abs(last.span.cum) {
			out[key.name] = &diffed{key.file, spans[key], b.functions[key]}
		}
	}
	return out, nil
}

func diffFunction(name string, base, head SourceOf, was, is *diffed) FunctionDiff {
	var before, after diffText
	f := FunctionDiff{Name: name}
	f.Base, before = base.read(name, was, is)
	f.Head, after = head.read(name, is, was)
	f.Lines = pairLines(before, after)
	return f
}

// A diffText is the lines of a function on one side.
type diffText struct {
	found bool
	lines []SourceLine
}

// read returns the text of a function with its costs. A side where it costs nothing may
// have it all the same, in the other side's file.
func (s SourceOf) read(name string, own, other *diffed) (SourceSide, diffText) {
	r := s.Report
	side := SourceSide{Flat: r.quantity(0), Cum: r.quantity(0)}
	if own != nil {
		side.File, side.Flat, side.Cum = own.file, r.quantity(own.span.flat), r.quantity(own.span.cum)
	} else {
		side.File = other.file
	}
	var text *srcfind.Text
	text, side.SourceFile, side.Missed = s.find(side.File, own)
	lines := s.lines(name, text, own)
	if text != nil {
		side.Commit, side.Lines, side.Absent = text.Commit, len(lines), len(lines) == 0
	}
	return side, diffText{text != nil, lines}
}

// find returns the first text that can be the function's source, or why there is none.
// missed is what was wrong with those tried before.
func (s SourceOf) find(file string, own *diffed) (text *srcfind.Text, origin SourceFile, missed string) {
	if file == "" {
		return nil, SourceFile{Err: "the profile doesn't say which file it is in"}, ""
	}
	origin.Err = "no source available"
	for _, find := range s.Texts {
		text, err := find(file)
		if err == nil && own != nil {
			if errs := own.source.claim.verify(text); len(errs) > 0 {
				err = errs[0] // of the version that costs most
			}
		}
		if err == nil {
			origin = SourceFile{}
			if text.Path != file {
				origin.Path = text.Path
			}
			return text, origin, missed
		}
		origin.Err = err.Error()
		if missing, ok := errors.AsType[*srcfind.NotFoundError](err); ok {
			origin.Looked = missing.Looked
		}
		if missed == "" && !errors.Is(err, srcfind.ErrNoModule) {
			missed = origin.Err
		}
	}
	if missed != "" { // what is wrong with the likeliest place helps most
		origin.Err = missed
	}
	return nil, origin, ""
}

// lines returns the lines of a function. Without a text, they are those with costs.
func (s SourceOf) lines(name string, text *srcfind.Text, own *diffed) []SourceLine {
	r := s.Report
	costs := map[int64]*webLine{}
	start := int64(0)
	if own != nil {
		costs, start = own.source.lines, own.source.claim.heaviestStart()
	}
	numbers := slices.Sorted(maps.Keys(costs))
	if text != nil {
		first, last, ok := text.Span(name, start)
		if !ok && len(numbers) > 0 {
			first, last, ok = max(1, numbers[0]-lineMargin), min(int64(len(text.Lines)), numbers[len(numbers)-1]+lineMargin), true
		}
		numbers = nil
		for n := first; ok && n <= last; n++ {
			numbers = append(numbers, n)
		}
	}
	var out []SourceLine
	for _, n := range numbers {
		line := SourceLine{Line: n, Flat: r.quantity(0), Cum: r.quantity(0)}
		if text != nil {
			line.Text = text.Lines[n-1]
		}
		if cost := costs[n]; cost != nil {
			line.Flat, line.Cum = r.quantity(cost.flat), r.quantity(cost.cum)
		}
		out = append(out, line)
	}
	return out
}

// heaviestStart is the first line of the version that costs most, 0 if it is unknown.
func (c *sourceClaim) heaviestStart() int64 {
	best := int64(0)
	for _, start := range slices.Sorted(maps.Keys(c.versions)) {
		if c.versions[best] == nil || c.versions[start].weight > c.versions[best].weight {
			best = start
		}
	}
	return best
}

// pairLines aligns the lines of two sides. Lines of a side without text have no counterpart,
// unless neither side has text: then equal numbers are the best guess.
func pairLines(base, head diffText) []LinePair {
	var pairs []LinePair
	add := func(was, is []SourceLine, same bool) {
		for i := range max(len(was), len(is)) {
			p := LinePair{Same: same}
			if i < len(was) {
				p.Base = &was[i]
			}
			if i < len(is) {
				p.Head = &is[i]
			}
			pairs = append(pairs, p)
		}
	}
	if !base.found && !head.found {
		return pairNumbers(base.lines, head.lines)
	}
	if !base.found || !head.found {
		add(base.lines, nil, false)
		add(nil, head.lines, false)
		return append([]LinePair{}, pairs...)
	}
	i, j := 0, 0
	for _, d := range lcs.DiffLines(textOf(base.lines), textOf(head.lines)) {
		add(base.lines[i:d.Start], head.lines[j:d.ReplStart], true)
		add(base.lines[d.Start:d.End], head.lines[d.ReplStart:d.ReplEnd], false)
		i, j = d.End, d.ReplEnd
	}
	add(base.lines[i:], head.lines[j:], true)
	return append([]LinePair{}, pairs...)
}

func pairNumbers(base, head []SourceLine) []LinePair {
	pairs := []LinePair{}
	for len(base) > 0 || len(head) > 0 {
		var p LinePair
		if len(base) > 0 && (len(head) == 0 || base[0].Line <= head[0].Line) {
			p.Base = &base[0]
		}
		if len(head) > 0 && (len(base) == 0 || head[0].Line <= base[0].Line) {
			p.Head = &head[0]
		}
		p.Same = p.Base != nil && p.Head != nil
		if p.Base != nil {
			base = base[1:]
		}
		if p.Head != nil {
			head = head[1:]
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func textOf(lines []SourceLine) []string {
	out := make([]string, len(lines))
	for i := range lines {
		out[i] = lines[i].Text
	}
	return out
}
