package pyroscope

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// serveIngest answers POST /ingest. Agents accept only 200 as success.
func serveIngest(w http.ResponseWriter, r *http.Request, recv ingest.Receiver) {
	err := receiveIngest(w, r, recv)
	if err == nil {
		w.WriteHeader(http.StatusOK)
		return
	}
	status := 0
	switch wire.Error(err).Reason {
	case ingest.Malformed, ingest.Expired:
		status = http.StatusUnprocessableEntity
	}
	wire.Refuse(w, err, status)
}

func receiveIngest(w http.ResponseWriter, r *http.Request, recv ingest.Receiver) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return ingest.Errorf(ingest.Malformed, "invalid query: %w", err)
	}
	up, err := parseUpload(query, time.Now())
	if err != nil {
		return err
	}
	body, err := wire.Body(w, r, recv.Limits().BodyBytes)
	if err != nil {
		return err
	}
	up.body, up.contentType = body, r.Header.Get("Content-Type")
	push, err := up.push()
	if err != nil {
		return err
	}
	return recv.Receive(r.Context(), Protocol, push)
}

// An upload is a request to /ingest.
type upload struct {
	name        string // name of the application
	labels      []store.Label
	from, until int64  // ns since 1970, 0 if not given
	sampleRate  int64  // per second, 0 if not given
	format      string // "" if the content type decides
	contentType string
	body        []byte
}

// parseUpload reads the query of a request.
func parseUpload(query url.Values, now time.Time) (upload, error) {
	malformed := func(what string, err error) (upload, error) {
		return upload{}, ingest.Errorf(ingest.Malformed, "%s: %w", what, err)
	}
	var u upload
	var err error
	if u.name, u.labels, err = parseName(query.Get("name")); err != nil {
		return malformed("name", err)
	}
	if u.from, err = parseTime(query.Get("from"), now); err != nil {
		return malformed("from", err)
	}
	if u.until, err = parseTime(query.Get("until"), now); err != nil {
		return malformed("until", err)
	}
	if u.from != 0 && u.until != 0 && u.until < u.from {
		return malformed("until", errors.New("it is earlier than from"))
	}
	// Agents send 0 for kinds without a rate.
	if rate := query.Get("sampleRate"); rate != "" {
		u.sampleRate, err = strconv.ParseInt(rate, 10, 64)
		if err == nil && (u.sampleRate < 0 || u.sampleRate > 1e9) {
			err = fmt.Errorf("%d is not between 0 and 1000000000", u.sampleRate)
		}
		if err != nil {
			return malformed("sampleRate", err)
		}
	}
	u.format = query.Get("format")
	return u, nil
}

// parseName reads the name of an application with its labels, such as
//
//	shop.api{region=eu,version=1.2}
//
// Spaces around names and values are ignored. Values have no quotes or escapes.
func parseName(s string) (app string, labels []store.Label, err error) {
	app, list, ok := strings.Cut(s, "{")
	app = strings.TrimSpace(app)
	if ok {
		list = strings.TrimSpace(list)
		if !strings.HasSuffix(list, "}") {
			return "", nil, fmt.Errorf("%.200q must end with }", s)
		}
		list = list[:len(list)-1]
		if strings.ContainsAny(list, "{}") {
			return "", nil, fmt.Errorf("%.200q has braces inside braces", s)
		}
		for len(list) > 0 {
			var pair string
			pair, list, _ = strings.Cut(list, ",")
			if strings.TrimSpace(pair) == "" {
				continue // a comma at the end
			}
			name, value, ok := strings.Cut(pair, "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if !ok || name == "" {
				return "", nil, fmt.Errorf("invalid label %.100q: use name=value", pair)
			}
			if labels = append(labels, store.Label{Name: name, Value: value}); len(labels) > wire.MaxLabels {
				return "", nil, fmt.Errorf("the name has more than %d labels", wire.MaxLabels)
			}
		}
	}
	if app == "" && !wire.Has(labels, labelServiceName) {
		return "", nil, fmt.Errorf("%.200q must begin with the name of an application", s)
	}
	return app, labels, nil
}

// parseTime reads a time in any form that agents have used: a number of s, ms, µs or
// ns since 1970, recognized by its size, or a time relative to now, such as now-10m.
// An empty time is 0.
func parseTime(s string, now time.Time) (int64, error) {
	if s == "" {
		return 0, nil
	}
	if rest, ok := strings.CutPrefix(s, "now"); ok {
		if rest == "" {
			return now.UnixNano(), nil
		}
		back, ok := strings.CutPrefix(rest, "-")
		if !ok {
			return 0, fmt.Errorf("invalid time %.60q", s)
		}
		unit := strings.TrimLeft(back, "0123456789")
		n, err := strconv.ParseInt(strings.TrimSuffix(back, unit), 10, 64)
		length, known := timeUnits[unit]
		if err != nil || !known || n > int64(200*365*24*time.Hour/length) {
			return 0, fmt.Errorf("invalid time %.60q: after now- use a number of s, m, h, d, w, M or y", s)
		}
		return now.UnixNano() - n*int64(length), nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("invalid time %.60q: use a number of s, ms, µs or ns since 1970, or now-1h", s)
	}
	// Each bound is the year 5138 in the larger unit and 1973 in the smaller one.
	switch {
	case n < 1e11:
		return n * 1e9, nil
	case n < 1e14:
		return n * 1e6, nil
	case n < 1e17:
		return n * 1e3, nil
	}
	return n, nil
}

const day = 24 * time.Hour

var timeUnits = map[string]time.Duration{
	"s": time.Second, "m": time.Minute, "min": time.Minute, "h": time.Hour,
	"d": day, "w": 7 * day, "M": 30 * day, "mon": 30 * day, "y": 365 * day,
}

// push returns the profiles to keep.
func (u *upload) push() (ingest.Push, error) {
	p := ingest.Push{Time: u.from}
	var types map[string]sampleType
	var err error
	mediaType, params, _ := mime.ParseMediaType(u.contentType)
	form := mediaType == "multipart/form-data"
	switch format := u.format; {
	case form && (format == "" || format == "pprof"):
		p.Data, types, err = readForm(u.body, params["boundary"])
	case format == "" && (mediaType == "binary/octet-stream+trie" || mediaType == "binary/octet-stream+tree"):
		err = errFormat(mediaType)
	case format == "pprof", format == "" && looksBinary(u.body):
		p.Data = u.body
	case format == "", format == "groups", format == "folded", format == "collapsed", format == "lines":
		p.Data = u.body
		p.Parse, p.Kind = u.folded()
	default:
		err = errFormat(format)
	}
	if err != nil {
		return p, err
	}
	if len(p.Data) == 0 {
		return p, ingest.Errorf(ingest.Malformed, "the request has no profile")
	}
	if p.Kind == "" {
		p.Kind = kindOfTypes(types)
	}
	for name, t := range types {
		if t.Cumulative {
			p.Cumulative = append(p.Cumulative, name)
		}
	}
	slices.Sort(p.Cumulative)
	if u.from != 0 && u.until != 0 && p.Kind != "goroutine" {
		p.Duration = u.until - u.from
	}

	labels := u.labels
	if !wire.Has(labels, labelServiceName) {
		labels = append(slices.Clone(labels), store.Label{Name: labelServiceName, Value: u.name})
	} else if u.name != "" && !wire.Has(labels, "app_name") {
		labels = append(slices.Clone(labels), store.Label{Name: "app_name", Value: u.name})
	}
	p.Labels = vocabulary.Translate(labels)
	// A difference needs the previous profile of the same process. The session
	// identifies it, because it changes with each start. It isn't kept as a label.
	if session := slices.IndexFunc(labels, func(l store.Label) bool { return l.Name == labelSession }); len(p.Cumulative) > 0 && session >= 0 && !wire.Has(p.Labels, store.LabelInstance) {
		p.Labels = append(p.Labels, store.Label{Name: store.LabelInstance, Value: labels[session].Value})
	}
	return p, nil
}

func errFormat(format string) error {
	return ingest.Errorf(ingest.Malformed, "unsupported format %.60q: use pprof (alone or as a form), groups, folded, collapsed or lines", format)
}

// looksBinary reports whether data is an encoded profile, compressed or not. Otherwise
// it is text.
func looksBinary(data []byte) bool {
	return slices.ContainsFunc(data[:min(len(data), 512)], func(b byte) bool {
		return b < ' ' && b != '\t' && b != '\n' && b != '\r'
	})
}

// A sampleType is an agent's description of one sample type, without the parts that
// are for drawing.
type sampleType struct {
	DisplayName string `json:"display-name"`
	Cumulative  bool   `json:"cumulative"`
}

// kindOfTypes returns the kind of profile from the agent's names for its sample
// types. Go's mutex and block profiles differ only in these. "" means that the
// sample types in the profile decide.
func kindOfTypes(types map[string]sampleType) string {
	for _, t := range types {
		switch {
		case strings.HasPrefix(t.DisplayName, "mutex_"):
			return "mutex"
		case strings.HasPrefix(t.DisplayName, "block_"):
			return "block"
		case t.DisplayName == "goroutines":
			return "goroutine"
		case t.DisplayName == "goroutine_leak":
			return "goroutineleak"
		}
	}
	return ""
}

// readForm reads the files of a form: profile, and sample_type_config, which
// describes its sample types.
func readForm(body []byte, boundary string) (data []byte, types map[string]sampleType, err error) {
	if boundary == "" {
		return nil, nil, ingest.Errorf(ingest.Malformed, "the form has no boundary in its Content-Type")
	}
	form := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := form.NextRawPart()
		if err == io.EOF {
			return data, types, nil
		}
		if err != nil {
			return nil, nil, ingest.Errorf(ingest.Malformed, "invalid form: %w", err)
		}
		content, err := io.ReadAll(part) // the body is limited
		if err != nil {
			return nil, nil, ingest.Errorf(ingest.Malformed, "invalid form: %w", err)
		}
		switch name := part.FormName(); {
		case name == "profile" && data == nil:
			data = content
		case name == "sample_type_config" && types == nil:
			if types, err = parseTypes(content); err != nil {
				return nil, nil, err
			}
		case name == "prev_profile":
			return nil, nil, ingest.Errorf(ingest.Malformed, "the form has a prev_profile: this agent is too old; use a newer one, which sends differences")
		case name == "profile", name == "sample_type_config":
			return nil, nil, ingest.Errorf(ingest.Malformed, "the form has %s twice", name)
		}
	}
}

func parseTypes(content []byte) (types map[string]sampleType, err error) {
	if err := json.Unmarshal(content, &types); err != nil {
		return nil, ingest.Errorf(ingest.Malformed, "sample_type_config: %w", err)
	}
	if len(types) > 64 {
		return nil, ingest.Errorf(ingest.Malformed, "sample_type_config has %d sample types", len(types))
	}
	return types, nil
}

// endings are suffixes of application names, as in shop.api.alloc_space. They say
// what the values of text formats are.
var endings = map[string]struct {
	kind      string
	valueType profile.ValueType
}{
	"cpu":            {"cpu", profile.ValueType{Type: "samples", Unit: "count"}},
	"itimer":         {"cpu", profile.ValueType{Type: "samples", Unit: "count"}},
	"wall":           {"wall", profile.ValueType{Type: "samples", Unit: "count"}},
	"inuse_objects":  {"heap", profile.ValueType{Type: "inuse_objects", Unit: "count"}},
	"inuse_space":    {"heap", profile.ValueType{Type: "inuse_space", Unit: "bytes"}},
	"alloc_objects":  {"allocs", profile.ValueType{Type: "alloc_objects", Unit: "count"}},
	"alloc_space":    {"allocs", profile.ValueType{Type: "alloc_space", Unit: "bytes"}},
	"goroutines":     {"goroutine", profile.ValueType{Type: "goroutine", Unit: "count"}},
	"mutex_count":    {"mutex", profile.ValueType{Type: "contentions", Unit: "count"}},
	"mutex_duration": {"mutex", profile.ValueType{Type: "delay", Unit: "nanoseconds"}},
	"block_count":    {"block", profile.ValueType{Type: "contentions", Unit: "count"}},
	"block_duration": {"block", profile.ValueType{Type: "delay", Unit: "nanoseconds"}},
	"lock_count":     {"block", profile.ValueType{Type: "contentions", Unit: "count"}},
	"lock_duration":  {"block", profile.ValueType{Type: "delay", Unit: "nanoseconds"}},
}

// defaultRate is the number of samples per second if the agent doesn't give it.
const defaultRate = 100

// folded returns the parser of a text format, and the kind of the profile. A suffix
// of the application's name says what was counted, and folded removes it from the
// name. Without a suffix, values are CPU samples, which are also kept as time.
func (u *upload) folded() (parse func([]byte, profile.Limits) (*profile.Profile, error), kind string) {
	is := endings["cpu"]
	if i := strings.LastIndexByte(u.name, '.'); i > 0 {
		if known, ok := endings[u.name[i+1:]]; ok {
			is = known
			u.name = u.name[:i]
		}
	}
	period := int64(0)
	if is.valueType.Type == "samples" {
		period = int64(time.Second) / cmp.Or(u.sampleRate, defaultRate)
	}
	lines := u.format == "lines"
	return func(text []byte, lim profile.Limits) (*profile.Profile, error) {
		if lines {
			counted, err := countLines(text, lim.Budget)
			if err != nil {
				return nil, err
			}
			defer give(lim.Budget, cap(counted))
			text = counted
		}
		p, err := profile.ParseFolded(bytes.NewReader(text), lim)
		if err != nil {
			return nil, fmt.Errorf("the text is not a list of stacks and counts: %w", err)
		}
		if len(p.SampleTypes) != 1 {
			return nil, fmt.Errorf("the stacks have %d counts each; they must have one", len(p.SampleTypes))
		}
		p.SampleTypes[0] = is.valueType
		if period == 0 {
			return p, nil
		}
		p.PeriodType = profile.ValueType{Type: is.kind, Unit: "nanoseconds"}
		p.Period = period
		if err := take(lim.Budget, 8*len(p.Values[0])); err != nil {
			return nil, err
		}
		times := make([]int64, len(p.Values[0]))
		for i, n := range p.Values[0] {
			if times[i] = n * period; n != 0 && times[i]/n != period {
				return nil, fmt.Errorf("a stack has %d samples, which is more than 292 years", n)
			}
		}
		p.SampleTypes = append(p.SampleTypes, p.PeriodType)
		p.Values = append(p.Values, times)
		return p, nil
	}, is.kind
}

// countLines converts text with one line per sample to folded stacks with one
// sample each. It takes their bytes from the budget.
func countLines(text []byte, budget profile.Budget) ([]byte, error) {
	const one = " 1\n"
	n := len(text) + len(one)*(bytes.Count(text, []byte("\n"))+1)
	if err := take(budget, n); err != nil {
		return nil, err
	}
	out := make([]byte, 0, n)
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, "\r\n \t"); len(line) > 0 {
			out = append(append(out, line...), one...)
		}
	}
	return out, nil
}

func take(budget profile.Budget, n int) error {
	if budget == nil {
		return nil
	}
	return budget.Take(int64(n))
}

func give(budget profile.Budget, n int) {
	if budget != nil {
		budget.Give(int64(n))
	}
}
