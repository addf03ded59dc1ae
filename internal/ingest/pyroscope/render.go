package pyroscope

import (
	"cmp"
	"encoding/json"
	"io"
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

// renderCalls serves the older queries. Their answers are JSON, or a graph as text.
type renderCalls struct{ *querier }

// A renderCall answers a query with a value for JSON, or a [graphText].
type renderCall struct {
	answer  func(*http.Request, url.Values) (any, error)
	params  []string
	formats []string
}

// graphText is a graph in Graphviz's language.
type graphText string

func (q renderCalls) mount(mux *http.ServeMux) {
	json, dot := []string{"", "json"}, []string{"", "json", "dot"}
	for path, call := range map[string]renderCall{
		"render":       {q.render, []string{"query", "from", "until", "format", "max-nodes", "maxNodes", "groupBy", "aggregation"}, dot},
		"render-diff":  {q.renderDiff, []string{"leftQuery", "leftFrom", "leftUntil", "rightQuery", "rightFrom", "rightUntil", "format", "max-nodes", "maxNodes"}, json},
		"labels":       {q.renderLabels, []string{"query"}, json},
		"label-values": {q.renderLabelValues, []string{"label", "query"}, json},
	} {
		mux.HandleFunc("GET /pyroscope/"+path, call.serve)
	}
}

func (c renderCall) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	query, err := url.ParseQuery(r.URL.RawQuery)
	var v any
	if err != nil {
		err = badRequest("invalid query: %w", err)
	} else if err = c.check(query); err == nil {
		v, err = c.answer(r, query)
	}
	if err != nil {
		e := queryError(err)
		w.WriteHeader(statusOf(e.Code()))
		v = map[string]string{"code": e.Code().String(), "message": e.Message()}
	}
	// The client is gone if writing fails.
	if text, ok := v.(graphText); ok {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, string(text))
		return
	}
	_ = json.NewEncoder(w).Encode(v)
}

// check returns an error for an unknown parameter, one with several values, or an unknown format.
func (c renderCall) check(query url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains(c.params, name):
			return badRequest("unknown parameter %.60q (known: %s)", name, strings.Join(c.params, ", "))
		case len(query[name]) > 1:
			return badRequest("%s is given %d times", name, len(query[name]))
		case name == "format" && !slices.Contains(c.formats, query.Get(name)):
			return badRequest("unsupported format %.40q: use %s", query.Get(name), strings.Join(c.formats[1:], " or "))
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
	// Groups has a timeline per value of the label groupBy, "*" for profiles without it.
	Groups     map[string]*timeline `json:"groups,omitempty"`
	LeftTicks  *int64               `json:"leftTicks,omitempty"`
	RightTicks *int64               `json:"rightTicks,omitempty"`
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
	req.ProfileTypeID, req.LabelSelector = splitQuery(text)
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
	average, err := averages(v.Get("aggregation"))
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
	if v.Get("format") == "dot" {
		text, err := dotOf(r.Context(), p, req.GetMaxNodes())
		return graphText(text), err
	}
	f, err := flameOf(r.Context(), p, req.GetMaxNodes())
	if err != nil {
		return nil, err
	}
	out := f.render(s.profileType, "single")
	lines, step, err := q.timelines(r, s, nil)
	if err != nil {
		return nil, err
	}
	out.Timeline = newTimeline(s, step, average, lines...)
	if label := v.Get("groupBy"); label != "" {
		if lines, step, err = q.timelines(r, s, []string{label}); err != nil {
			return nil, err
		}
		out.Groups = map[string]*timeline{}
		for _, l := range lines {
			out.Groups[cmp.Or(l.labels.Get(theirs(hones(label))), "*")] = newTimeline(s, step, average, l)
		}
	}
	return out, nil
}

// averages reports whether an aggregation is the average of the profiles of a step.
func averages(aggregation string) (bool, error) {
	switch aggregation {
	case "", "sum":
		return false, nil
	case "avg":
		return true, nil
	}
	return false, badRequest("invalid aggregation %.40q: use sum or avg", aggregation)
}

// timelines returns the totals of a selection over time, in a few hundred steps of whole
// seconds.
func (q renderCalls) timelines(r *http.Request, s *selection, groupBy []string) (lines []line, step int64, err error) {
	const shortest, steps = 10, 1000
	step = max((s.to-s.from)/1e9/steps, shortest) * 1e9
	lines, err = q.lines(r.Context(), s, groupBy, step)
	return lines, step, err
}

func newTimeline(s *selection, step int64, average bool, lines ...line) *timeline {
	first := s.from / step
	t := &timeline{StartTime: first * (step / 1e9), DurationDelta: step / 1e9, Samples: make([]int64, max((s.to-1)/step-first+1, 0))}
	for _, l := range lines {
		for _, p := range l.points {
			if i := p.Time/step - first; i >= 0 && i < int64(len(t.Samples)) {
				value := p.Value
				if average {
					value /= max(p.Profiles, 1)
				}
				t.Samples[i] += value
			}
		}
	}
	return t
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

func (q renderCalls) renderLabels(r *http.Request, v url.Values) (any, error) {
	all, err := q.labels(r.Context(), selectorsOf(v), 0, 0)
	if err != nil {
		return nil, err
	}
	return append([]string{}, slices.Sorted(maps.Keys(all))...), nil
}

// selectorsOf returns the selector of a query, if it has one.
func selectorsOf(v url.Values) []string {
	if query := v.Get("query"); query != "" {
		return []string{query}
	}
	return nil
}

func (q renderCalls) renderLabelValues(r *http.Request, v url.Values) (any, error) {
	values, err := q.labelValues(r.Context(), v.Get("label"), selectorsOf(v), 0, 0)
	if err != nil {
		return nil, err
	}
	if values == nil {
		return []string{}, nil
	}
	return values, nil
}
