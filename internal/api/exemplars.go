package api

// Exemplars are single profiles that stand for points of a timeline, by time.
type Exemplars struct {
	From      int64      `json:"from"` // ms since 1970
	To        int64      `json:"to"`
	Step      int64      `json:"step"` // ms
	Exemplars []Exemplar `json:"exemplars"`
}

// An Exemplar is the most expensive profile of a window: per second, if it has a duration.
type Exemplar struct {
	Time     int64             `json:"time"`     // its start, ms since 1970
	Duration int64             `json:"duration"` // ns
	Value    int64             `json:"value"`
	Type     string            `json:"type"`
	Unit     string            `json:"unit"`
	Labels   map[string]string `json:"labels"`
	Profile  string            `json:"profile"`        // id of the selection
	Span     *ExemplarSpan     `json:"span,omitempty"` // the most expensive one; nil if it has none
}

// ExemplarSpan is a span of a trace.
type ExemplarSpan struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Trace   string `json:"trace,omitempty"`
	Value   int64  `json:"value"`
	Profile string `json:"profile"` // id of the selection of its samples
}
