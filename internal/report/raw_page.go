package report

import (
	"bytes"
	"errors"
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

// RawPage returns a page of the lines of the text of command raw. There is nothing to
// order by or to find in. The slice is the caller's. Errors are of type [ParamError],
// or ErrLongPage.
func (r *Report) RawPage(p Page) (*RawPage, error) {
	if _, _, err := p.check(); err != nil {
		return nil, err
	}
	return rawPage(r.prof, p.Offset, p.Limit, p.Most)
}

// RawLines returns the lines [offset, offset+limit) of what
// [profile.Profile.WriteRaw] writes, without their ends, all from offset on if
// limit is 0, and the number of lines of the whole text. Neither may be
// negative. Only the lines asked for are made: how many lines each record has
// is known before.
func RawLines(p *profile.Profile, offset, limit int) (lines []string, total int) {
	page, _ := rawPage(p, offset, limit, 0) // which fails for no other reason than a bound
	return page.Lines, page.Total
}

// rawPage is RawLines with a bound of the lines' bytes, of 0 for none.
func rawPage(p *profile.Profile, offset, limit int, most int64) (*RawPage, error) {
	broken := func(s string) bool { return strings.Contains(s, "\n") }
	if slices.ContainsFunc(p.Strings, broken) || slices.ContainsFunc(p.Mappings, func(m profile.Mapping) bool { return broken(m.File) || broken(m.BuildID) }) {
		// A record has as many lines as its names: nothing to count on, and rare.
		lines, total, err := writtenLinesUpTo(p, offset, limit, most, false)
		if err != nil {
			return nil, err
		}
		return &RawPage{Lines: lines, Total: total}, nil
	}
	bare := *p
	bare.Stacks, bare.SampleLabels, bare.Locations, bare.Mappings = nil, nil, nil, nil
	_, header, err := writtenLinesUpTo(&bare, 0, 1, most, false)
	if err != nil {
		return nil, err
	}
	header -= 2 // "Locations" and "Mappings"

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
	locationLines := func(l int) int { return max(1, int(p.Locations[l].NumLines)) }

	// The text as sections; part returns a profile whose text has the records
	// from one on, behind lines of its own.
	sections := []struct {
		name    string
		title   int // lines before the records
		records int
		lines   func(int) int
		part    func(from int) (*profile.Profile, int)
	}{
		{"samples", header, len(p.Stacks), sampleLines, func(from int) (*profile.Profile, int) {
			q := *p
			q.Stacks = p.Stacks[from:]
			if p.SampleLabels != nil {
				q.SampleLabels = p.SampleLabels[from:]
			}
			q.Values = make([][]int64, len(p.Values))
			for i, column := range p.Values {
				q.Values[i] = column[from:]
			}
			return &q, header
		}},
		{"locations", 1, len(p.Locations), locationLines, func(from int) (*profile.Profile, int) {
			q := bare
			q.Locations, q.Mappings = p.Locations[from:], p.Mappings
			return &q, header + 1
		}},
		{"mappings", 1, len(p.Mappings), func(int) int { return 1 }, func(from int) (*profile.Profile, int) {
			q := bare
			q.Mappings = p.Mappings[from:]
			return &q, header + 2
		}},
	}
	start, skip := p, offset // whose text to take from which line on
	var places []RawSection
	total := 0
	for _, s := range sections {
		if total <= offset && offset < total+s.title {
			q, own := s.part(0)
			start, skip = q, own-s.title+offset-total
		}
		total += s.title
		places = append(places, RawSection{s.name, total, s.records})
		for i := range s.records {
			n := s.lines(i)
			if total <= offset && offset < total+n {
				q, own := s.part(i)
				start, skip = q, own+offset-total
			}
			total += n
		}
	}
	if limit == 0 || limit > total-offset {
		limit = max(0, total-offset)
	}
	page := &RawPage{[]string{}, total, places}
	if limit > 0 {
		page.Lines, _, err = writtenLinesUpTo(start, skip, limit, most, true)
	}
	if err != nil {
		return nil, err
	}
	return page, nil
}

// writtenLinesUpTo writes the profile's text, to the last line wanted or to its end.
func writtenLinesUpTo(p *profile.Profile, offset, limit int, most int64, stop bool) ([]string, int, error) {
	w := lineWriter{skip: offset, limit: limit, most: most, stop: stop, lines: []string{}}
	// Only the writer fails, when it has enough or too much.
	if err := p.WriteRaw(&w); err != nil && !errors.Is(err, errEnough) {
		return nil, 0, err
	}
	return w.lines, w.n, nil
}

var errEnough = errors.New("there are enough lines")

// lineWriter keeps some lines of what is written and counts all.
type lineWriter struct {
	skip, limit int
	most, size  int64 // bytes of wanted lines; most 0 is no bound
	stop        bool  // fail when all lines wanted are there
	lines       []string
	n           int    // lines that have ended
	part        []byte // of a line that is wanted and has not ended
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
