package report

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// RawPage is a run of the lines of a profile as it is.
type RawPage struct {
	Lines    []string     `json:"lines"`
	Total    int          `json:"total"`              // lines of the whole text
	Sections []RawSection `json:"sections,omitempty"` // of the whole text; none where names have several lines
}

// RawSection is where a kind of record is in the text. Each record has one or more lines.
type RawSection struct {
	Name    string `json:"name"` // samples, locations or mappings
	Line    int    `json:"line"` // of the first record, from 0
	Records int    `json:"records"`
}

// RawPage returns a page of the lines of the text of command raw. Find keeps only some records: see
// [newRawFind]. There is nothing to order by. The slice is the caller's. Errors are of type [ParamError],
// or ErrLongPage.
func (r *Report) RawPage(p Page) (*RawPage, error) {
	if _, _, err := p.check(); err != nil {
		return nil, err
	}
	find, err := newRawFind(p.Find)
	if err != nil {
		return nil, err
	}
	return rawPage(r.prof, p.Offset, p.Limit, p.Most, find)
}

// RawLines returns the lines [offset, offset+limit) of what
// [profile.Profile.WriteRaw] writes, without their ends, all from offset on if
// limit is 0, and the number of lines of the whole text. Neither may be
// negative. Only the lines asked for are made: how many lines each record has
// is known before.
func RawLines(p *profile.Profile, offset, limit int) (lines []string, total int) {
	page, _ := rawPage(p, offset, limit, 0, nil) // which fails for no other reason than a bound
	return page.Lines, page.Total
}

// rawPage is RawLines with a bound of the lines' bytes, of 0 for none. find may be nil.
func rawPage(p *profile.Profile, offset, limit int, most int64, find *rawFind) (*RawPage, error) {
	w := &lineWriter{most: most, lines: []string{}}
	broken := func(s string) bool { return strings.Contains(s, "\n") }
	if slices.ContainsFunc(p.Strings, broken) || slices.ContainsFunc(p.Mappings, func(m profile.Mapping) bool { return broken(m.File) || broken(m.BuildID) }) {
		if find != nil {
			return nil, paramErrorf("find", "names in this profile have line breaks, so its records can't be told apart")
		}
		// A record has as many lines as its names: nothing to count on, and rare.
		if err := w.write(p, offset, limit); err != nil {
			return nil, err
		}
		return &RawPage{Lines: w.lines, Total: w.n}, nil
	}
	sections, err := rawSections(p, most)
	if err != nil {
		return nil, err
	}
	if find != nil {
		sections.keep(find.records(p))
	}
	end := math.MaxInt
	if limit > 0 {
		end = offset + limit
	}
	w.stop = true
	page := &RawPage{}
	// add counts lines of the text of a profile, which begin behind skip others, and writes those of the page.
	add := func(text func() (q *profile.Profile, skip int), lines int) error {
		from, to := max(page.Total, offset), min(page.Total+lines, end)
		before := page.Total
		page.Total += lines
		if from >= to {
			return nil
		}
		q, skip := text()
		return w.write(q, skip+from-before, to-from)
	}
	for _, s := range sections {
		title := func() (*profile.Profile, int) {
			q, own := s.part(0, 0)
			return q, own - s.title
		}
		if err := add(title, s.title); err != nil {
			return nil, err
		}
		place := RawSection{Name: s.name, Line: page.Total}
		for i := 0; i < s.records; {
			if s.kept != nil && !s.kept[i] {
				i++
				continue
			}
			// Records next to each other that are on the same side of the page's ends are written together.
			from, lines := i, 0
			for side := -1; i < s.records && (s.kept == nil || s.kept[i]); i++ {
				at, n := page.Total+lines, s.lines(i)
				now := 0
				if at+n > offset {
					now = 1
				}
				if at >= end {
					now = 2
				}
				if side >= 0 && now != side {
					break
				}
				side, lines = now, lines+n
			}
			place.Records += i - from
			if err := add(func() (*profile.Profile, int) { return s.part(from, i) }, lines); err != nil {
				return nil, err
			}
		}
		page.Sections = append(page.Sections, place)
	}
	page.Lines = w.lines
	return page, nil
}

// A rawSection is a kind of record of a profile's text.
type rawSection struct {
	name    string
	title   int // lines before the records
	records int
	kept    []bool        // records that are shown; nil for all
	lines   func(int) int // of a record
	// part returns a profile whose text has the records [from, to), behind so many other lines.
	part func(from, to int) (*profile.Profile, int)
}

// rawText are the sections of a profile's text, in their order: samples, locations, mappings.
type rawText [3]rawSection

// keep shows only some records of each section.
func (t *rawText) keep(kept [3][]bool) {
	for i := range t {
		t[i].kept = kept[i]
	}
}

// rawSections returns the sections of a profile whose names have no line breaks.
func rawSections(p *profile.Profile, most int64) (*rawText, error) {
	bare := *p
	bare.Stacks, bare.SampleLabels, bare.Locations, bare.Mappings = nil, nil, nil, nil
	top := lineWriter{most: most}
	if err := top.write(&bare, 0, 1); err != nil {
		return nil, err
	}
	header := top.n - 2 // without "Locations" and "Mappings"

	bySet := make([]int, max(1, len(p.LabelSets)))
	for i := range bySet {
		bySet[i] = 1
		if i < len(p.LabelSets) {
			set := p.LabelSets[i]
			for k, l := range p.Labels[set.Start : set.Start+set.Len] {
				if k == 0 || l.Numeric != p.Labels[int(set.Start)+k-1].Numeric {
					bySet[i]++
				}
			}
		}
	}
	sampleLines := func(s int) int {
		if p.SampleLabels == nil {
			return 1
		}
		return bySet[p.SampleLabels[s]]
	}
	samples := func(from, to int) (*profile.Profile, int) {
		q := *p
		q.Stacks = p.Stacks[from:to]
		if p.SampleLabels != nil {
			q.SampleLabels = p.SampleLabels[from:to]
		}
		q.Values = make([][]int64, len(p.Values))
		for i, column := range p.Values {
			q.Values[i] = column[from:to]
		}
		return &q, header
	}
	locations := func(from, to int) (*profile.Profile, int) {
		q := bare
		q.Locations, q.Mappings = p.Locations[from:to], p.Mappings
		return &q, header + 1
	}
	mappings := func(from, to int) (*profile.Profile, int) {
		q := bare
		q.Mappings = p.Mappings[from:to]
		return &q, header + 2
	}
	return &rawText{
		{name: "samples", title: header, records: len(p.Stacks), lines: sampleLines, part: samples},
		{
			name: "locations", title: 1, records: len(p.Locations), part: locations,
			lines: func(l int) int { return max(1, int(p.Locations[l].NumLines)) },
		},
		{name: "mappings", title: 1, records: len(p.Mappings), part: mappings, lines: func(int) int { return 1 }},
	}, nil
}

var errEnough = errors.New("there are enough lines")

// lineWriter keeps some lines of what is written and counts all. It is for one text after the other.
type lineWriter struct {
	skip, limit int
	most, size  int64 // bytes of wanted lines; most 0 is no bound
	stop        bool  // fail when all lines wanted are there
	lines       []string
	n           int    // lines that have ended
	part        []byte // of a line that is wanted and has not ended
}

// write adds the lines [skip, skip+limit) of a profile's text, all from skip on if limit is 0.
func (w *lineWriter) write(p *profile.Profile, skip, limit int) error {
	w.skip, w.limit, w.n = skip, limit, 0
	// Only the writer fails, when it has enough or too much.
	if err := p.WriteRaw(w); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

func (w *lineWriter) wanted() bool {
	return w.n >= w.skip && (w.limit == 0 || w.n < w.skip+w.limit)
}

func (w *lineWriter) Write(b []byte) (int, error) {
	size := len(b)
	for len(b) > 0 {
		if !w.wanted() && w.n >= w.skip {
			if w.stop {
				return 0, errEnough
			}
			w.n += bytes.Count(b, []byte("\n"))
			break
		}
		end := bytes.IndexByte(b, '\n')
		line := b
		if end >= 0 {
			line, b = b[:end], b[end+1:]
		} else {
			b = nil
		}
		if w.wanted() {
			if w.size += int64(len(line)); w.most > 0 && w.size > w.most {
				return 0, ErrLongPage
			}
			w.part = append(w.part, line...)
			if end >= 0 {
				w.lines = append(w.lines, string(w.part))
				w.part = w.part[:0]
			}
		}
		if end >= 0 {
			w.n++
		}
	}
	return size, nil
}
