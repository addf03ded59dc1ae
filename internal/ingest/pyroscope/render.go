package pyroscope

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
)

// renderCalls serves the older queries, whose answers are JSON.
type renderCalls struct{ *querier }

func (q renderCalls) mount(mux *http.ServeMux) {
	for path, of := range map[string]struct {
		answer func(*http.Request, url.Values) (any, error)
		params []string
	}{
		"render":       {q.render, []string{"query", "from", "until", "format", "max-nodes", "maxNodes"}},
		"render-diff":  {q.renderDiff, []string{"leftQuery", "leftFrom", "leftUntil", "rightQuery", "rightFrom", "rightUntil", "format", "max-nodes", "maxNodes"}},
		"label-values": {q.renderLabelValues, []string{"label", "query"}},
	} {
		mux.HandleFunc("GET /pyroscope/"+path, func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Type", "application/json")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Cache-Control", "no-store")
			query, err := url.ParseQuery(r.URL.RawQuery)
			var v any
			if err != nil {
				err = badRequest("invalid query: %w", err)
			} else if err = knownParams(query, of.params); err == nil {
				v, err = of.answer(r, query)
			}
			if err != nil {
				e := queryError(err)
				w.WriteHeader(statusOf(e.Code()))
				v = map[string]string{"code": e.Code().String(), "message": e.Message()}
			}
			_ = json.NewEncoder(w).Encode(v) // the client is gone if this fails
		})
	}
}

// knownParams returns an error for an unknown parameter, or one with several values.
func knownParams(query url.Values, known []string) error {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains(known, name):
			return badRequest("unknown parameter %.60q (known: %s)", name, strings.Join(known, ", "))
		case len(query[name]) > 1:
			return badRequest("%s is given %d times", name, len(query[name]))
		case name == "format" && query.Get(name) != "" && query.Get(name) != "json":
			return badRequest("unsupported format %.40q: use json", query.Get(name))
		}
	}
	return nil
}

func statusOf(code connect.Code) int {
	switch code {
	case connect.CodeInvalidArgument:
		return http.StatusBadRequest
	case connect.CodeUnimplemented:
		return http.StatusNotImplemented
	case connect.CodeUnavailable:
		return http.StatusServiceUnavailable
	case connect.CodeDeadlineExceeded:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// A rendered is the JSON of a flame graph.
type rendered struct {
	Version     int         `json:"version"`
	Flamebearer flamebearer `json:"flamebearer"`
	Metadata    metadata    `json:"metadata"`
	Timeline    *timeline   `json:"timeline"`
	LeftTicks   *int64      `json:"leftTicks,omitempty"`
	RightTicks  *int64      `json:"rightTicks,omitempty"`
}

type flamebearer struct {
	Names    []string  `json:"names"`
	Levels   [][]int64 `json:"levels"`
	NumTicks int64     `json:"numTicks"`
	MaxSelf  int64     `json:"maxSelf"`
}

type metadata struct {
	Format     string `json:"format"` // "single", or "double" for comparisons
	SpyName    string `json:"spyName"`
	SampleRate int64  `json:"sampleRate"`
	Units      string `json:"units"`
	Name       string `json:"name"`
}

type timeline struct {
	StartTime     int64   `json:"startTime"` // s since 1970
	Samples       []int64 `json:"samples"`   // totals, one per durationDelta
	DurationDelta int64   `json:"durationDelta"`
}

func (f *flame) render(t profileType, format string) rendered {
	r := rendered{Version: 1, Flamebearer: flamebearer{Names: f.names, NumTicks: f.total, MaxSelf: f.maxSelf}, Metadata: metadataOf(t, format)}
	for _, l := range f.levels {
		r.Flamebearer.Levels = append(r.Flamebearer.Levels, l.Values)
	}
	return r
}

// metadataOf says how to show values. Times are shown as samples, with sampleRate
// samples per second.
func metadataOf(t profileType, format string) metadata {
	m := metadata{Format: format, SampleRate: 100, Units: t.sample.Unit, Name: t.sample.Type}
	switch {
	case t.sample.Unit == "nanoseconds" && (t.name == "mutex" || t.name == "block"):
		m.Units = "lock_nanoseconds"
	case t.sample.Unit == "nanoseconds":
		m.Units, m.SampleRate = "samples", 1e9
	case t.sample.Type == "contentions":
		m.Units = "lock_samples"
	case strings.HasSuffix(t.sample.Type, "_objects"):
		m.Units = "objects"
	case t.sample.Type == "goroutine":
		m.Units = "goroutines"
	case t.sample.Unit == "count":
		m.Units = "samples"
	}
	return m
}

// sideOf reads the query of one flame graph from the named parameters. The query is
// a profile type followed by a selector.
func sideOf(v url.Values, query, from, until string, now time.Time) (*pb.SelectMergeStacktracesRequest, error) {
	req := &pb.SelectMergeStacktracesRequest{}
	text := v.Get(query)
	if text == "" {
		return nil, badRequest("%s is missing: give a profile type and a selector, such as process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name=\"api\"}", query)
	}
	typeID, selector, ok := strings.Cut(text, "{")
	if ok {
		selector = "{" + selector
	}
	req.ProfileTypeID, req.LabelSelector = strings.TrimSpace(typeID), selector
	start, err := parseTime(cmp.Or(v.Get(from), "now-1h"), now)
	if err != nil {
		return nil, badRequestError{err}
	}
	end, err := parseTime(cmp.Or(v.Get(until), "now"), now)
	if err != nil {
		return nil, badRequestError{err}
	}
	req.Start, req.End = start/1e6, end/1e6
	for _, name := range []string{"max-nodes", "maxNodes"} {
		if text := v.Get(name); text != "" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 0 {
				return nil, badRequest("invalid %s %.40q: use a number of nodes", name, text)
			}
			req.MaxNodes = &n
		}
	}
	return req, nil
}

func (q renderCalls) render(r *http.Request, v url.Values) (any, error) {
	req, err := sideOf(v, "query", "from", "until", time.Now())
	if err != nil {
		return nil, err
	}
	s, err := q.stacktraces(r.Context(), req)
	if err != nil {
		return nil, err
	}
	p, err := q.merge(r.Context(), s)
	if err != nil {
		return nil, err
	}
	f, err := flameOf(r.Context(), p, req.GetMaxNodes())
	if err != nil {
		return nil, err
	}
	out := f.render(s.profileType, "single")
	out.Timeline, err = q.timeline(r, s)
	return out, err
}

// timeline returns the totals of a selection over time, in a few hundred steps of
// whole seconds.
func (q renderCalls) timeline(r *http.Request, s *selection) (*timeline, error) {
	const shortest, steps = 10, 1000
	seconds := max((s.to-s.from)/1e9/steps, shortest)
	step := seconds * 1e9
	lines, err := q.lines(r.Context(), s, nil, step)
	if err != nil {
		return nil, err
	}
	first := s.from / step
	t := &timeline{StartTime: first * seconds, DurationDelta: seconds, Samples: make([]int64, max((s.to-1)/step-first+1, 0))}
	for _, l := range lines {
		for _, p := range l.points {
			if i := p.Time/step - first; i >= 0 && i < int64(len(t.Samples)) {
				t.Samples[i] += p.Value
			}
		}
	}
	return t, nil
}

func (q renderCalls) renderDiff(r *http.Request, v url.Values) (any, error) {
	now := time.Now()
	left, err := sideOf(v, "leftQuery", "leftFrom", "leftUntil", now)
	if err != nil {
		return nil, err
	}
	right, err := sideOf(v, "rightQuery", "rightFrom", "rightUntil", now)
	if err != nil {
		return nil, err
	}
	base, head, err := q.sides(r.Context(), left, right)
	if err != nil {
		return nil, err
	}
	f, t, err := flameOfDiff(r.Context(), base, head, left.GetMaxNodes())
	if err != nil {
		return nil, err
	}
	is, err := parseProfileType(left.GetProfileTypeID())
	if err != nil {
		return nil, err
	}
	out := f.render(is, "double")
	out.LeftTicks, out.RightTicks = &t.Values[0].BaseTotal[0], &t.Values[0].Total[0]
	return out, nil
}

func (q renderCalls) renderLabelValues(r *http.Request, v url.Values) (any, error) {
	var selectors []string
	if query := v.Get("query"); query != "" {
		selectors = []string{query}
	}
	values, err := q.labelValues(r.Context(), v.Get("label"), selectors, 0, 0)
	if err != nil {
		return nil, err
	}
	if values == nil {
		return []string{}, nil
	}
	return values, nil
}
