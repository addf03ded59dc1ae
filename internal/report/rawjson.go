package report

import "github.com/hone-go/hone/profile"

// rawProfile is a profile as JSON, close to profile.proto: records with ids that
// refer to each other.
type rawProfile struct {
	SampleTypes       []rawType     `json:"sampleTypes"`
	DefaultSampleType string        `json:"defaultSampleType,omitempty"`
	PeriodType        rawType       `json:"periodType"`
	Period            int64         `json:"period"`
	TimeNanos         int64         `json:"timeNanos,omitempty"`
	DurationNanos     int64         `json:"durationNanos,omitempty"`
	Comments          []string      `json:"comments,omitempty"`
	DocURL            string        `json:"docURL,omitempty"`
	Samples           []rawSample   `json:"samples"`
	Locations         []rawLocation `json:"locations"`
	Mappings          []rawMapping  `json:"mappings"`
}

type rawType struct {
	Type string `json:"type"`
	Unit string `json:"unit"`
}

type rawSample struct {
	Values    []int64    `json:"values"`
	Locations []uint64   `json:"locations"` // ids, leaf first
	Labels    []rawLabel `json:"labels,omitempty"`
}

type rawLabel struct {
	Key  string `json:"key"`
	Str  string `json:"str,omitempty"`
	Num  *int64 `json:"num,omitempty"`
	Unit string `json:"unit,omitempty"`
}

type rawLocation struct {
	ID      uint64    `json:"id"`
	Mapping uint64    `json:"mapping,omitempty"`
	Address uint64    `json:"address,omitempty"`
	Folded  bool      `json:"folded,omitempty"`
	Lines   []rawLine `json:"lines"`
}

type rawLine struct {
	Function   string `json:"function"`
	SystemName string `json:"systemName,omitempty"`
	File       string `json:"file,omitempty"`
	StartLine  int64  `json:"startLine,omitempty"`
	Line       int64  `json:"line,omitempty"`
	Column     int64  `json:"column,omitempty"`
}

type rawMapping struct {
	ID      uint64 `json:"id"`
	Start   uint64 `json:"start"`
	Limit   uint64 `json:"limit"`
	Offset  uint64 `json:"offset"`
	File    string `json:"file,omitempty"`
	BuildID string `json:"buildID,omitempty"`
}

func newRawProfile(p *profile.Profile, stop stopper) *rawProfile {
	r := &rawProfile{
		SampleTypes: []rawType{}, DefaultSampleType: p.DefaultSampleType,
		PeriodType: rawType(p.PeriodType), Period: p.Period,
		TimeNanos: p.TimeNanos, DurationNanos: p.DurationNanos, Comments: p.Comments, DocURL: p.DocURL,
		Samples:   make([]rawSample, len(p.Stacks)),
		Locations: make([]rawLocation, len(p.Locations)),
		Mappings:  []rawMapping{},
	}
	for _, t := range p.SampleTypes {
		r.SampleTypes = append(r.SampleTypes, rawType(t))
	}
	for s := range p.Stacks {
		if stop.at(s) {
			return r
		}
		rs := &r.Samples[s]
		rs.Locations = []uint64{}
		for _, col := range p.Values {
			rs.Values = append(rs.Values, col[s])
		}
		for _, l := range p.Stack(s) {
			rs.Locations = append(rs.Locations, p.Locations[l].ID)
		}
		for _, l := range p.SampleLabelSet(s) {
			rl := rawLabel{Key: p.Strings[l.Key], Str: p.Strings[l.Str], Unit: p.Strings[l.Unit]}
			if l.Numeric {
				rl.Num = &l.Num
			}
			rs.Labels = append(rs.Labels, rl)
		}
	}
	for i, l := range p.Locations {
		rl := rawLocation{ID: l.ID, Address: l.Address, Folded: l.Folded, Lines: []rawLine{}}
		if m := p.MappingOf(uint32(i)); m != nil {
			rl.Mapping = m.ID
		}
		for _, ln := range p.LocationLines(uint32(i)) {
			f := p.Functions[ln.Function]
			line := rawLine{Function: p.Strings[f.Name], File: p.Strings[f.File], StartLine: f.StartLine, Line: ln.Line, Column: ln.Column}
			if f.SystemName != f.Name {
				line.SystemName = p.Strings[f.SystemName]
			}
			rl.Lines = append(rl.Lines, line)
		}
		r.Locations[i] = rl
	}
	for _, m := range p.Mappings {
		r.Mappings = append(r.Mappings, rawMapping{m.ID, m.Start, m.Limit, m.Offset, m.File, m.BuildID})
	}
	return r
}
