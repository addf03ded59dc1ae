package api

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// SelectionPrefix begins the ids of selections.
const SelectionPrefix = "sel:"

// A Selection is a set of profiles in the store, seen as one profile: their sum. Its id
// contains all of it.
type Selection struct {
	Selector store.Selector
	From, To int64 // ns since 1970, whole ms; 0 means unlimited
	// Except is a time within From and To whose profiles are left out; nil for none.
	Except     *Span
	SampleType string
	Top        float64 // share of the profiles, the most expensive first; 0 is all
	ID         store.ID
	Per        string // PerDefault, PerSum, PerProfile, PerSecond or PerRequest
	// SpanID selects the samples that were taken in a span of a trace; "" is all samples. It
	// is part of no Query: stores sum up whole profiles.
	SpanID string
}

// A Span is the time from From to To, excluding To; ns since 1970, whole ms.
type Span struct{ From, To int64 }

// String returns the span as selections write it.
func (s *Span) String() string { return fmt.Sprintf("%d-%d", Milliseconds(s.From), Milliseconds(s.To)) }

// Values of Selection.Per.
const (
	// PerDefault averages instantaneous values, such as goroutines, over the profiles, and
	// adds up all others.
	PerDefault = ""
	PerSum     = "sum"
	PerProfile = "profile"
	PerSecond  = "second"
	PerRequest = "request" // by the requests that the processes counted meanwhile
)

// SelectionParams are the parameters of selections, in the order used in ids.
var SelectionParams = []string{"q", "from", "to", "except", "sample_type", "top", "id", "per", "span"}

// MaxSelected limits the length of an id in bytes.
const MaxSelected = 32 << 10

// ReadSelection reads the parameters of a selection from a query, which may have
// others.
func ReadSelection(values url.Values, now time.Time) (*Selection, error) {
	sel := &Selection{}
	for _, name := range SelectionParams {
		vs := values[name]
		if len(vs) > 1 {
			return nil, badParam(name, "%s is given %d times", name, len(vs))
		}
		if len(vs) == 0 || vs[0] == "" {
			continue
		}
		if err := sel.set(name, vs[0], now); err != nil {
			var re *ParamError
			if errors.As(err, &re) {
				return nil, err
			}
			return nil, badParam(name, "%s: %w", name, err)
		}
	}
	if sel.From != 0 && sel.To != 0 && sel.From >= sel.To {
		return nil, badParam("to", "to must be after from")
	}
	if sel.Except != nil && (sel.Top != 0 || sel.ID != (store.ID{})) {
		return nil, badParam("except", "except can't be used with top or id")
	}
	if sel.Per == PerRequest && (sel.Top != 0 || sel.ID != (store.ID{})) {
		return nil, badParam("per", "per=request can't be used with top or id")
	}
	if sel.SpanID != "" && (sel.Top != 0 || sel.Per != PerDefault && sel.Per != PerSum) {
		return nil, badParam("span", "span can't be used with top, or with per other than sum")
	}
	return sel, nil
}

func (sel *Selection) set(name, value string, now time.Time) (err error) {
	switch name {
	case "q":
		sel.Selector, err = store.ParseSelector(value)
	case "from":
		sel.From, err = ParseBound(value, now)
	case "to":
		sel.To, err = ParseBound(value, now)
	case "except":
		sel.Except, err = parseSpan(value, now)
	case "sample_type":
		sel.SampleType = value
	case "top":
		if sel.Top, err = strconv.ParseFloat(value, 64); err != nil || !(sel.Top > 0 && sel.Top <= 1) {
			return badParam(name, "invalid top %q: use a share such as 0.05, at most 1", value)
		}
		if sel.Top == 1 {
			sel.Top = 0 // all of them
		}
	case "id":
		sel.ID, err = parseRecordID(value)
	case "per":
		if value != PerSum && value != PerProfile && value != PerSecond && value != PerRequest {
			return badParam(name, "invalid per %q: use sum, profile, second or request", value)
		}
		sel.Per = value
	case "span":
		if b, bad := hex.DecodeString(value); bad != nil || len(b) != 8 {
			return badParam(name, "invalid span %q: use 16 hexadecimal digits", value)
		}
		sel.SpanID = strings.ToLower(value)
	}
	return err
}

// ParseBound reads a time as ns since 1970. The first instant of 1970 reads as 0, which means
// unbounded.
func ParseBound(text string, now time.Time) (int64, error) {
	t, err := ParseTime(text, now)
	if err != nil {
		return 0, err
	}
	return floorDiv(t.UnixNano(), int64(time.Millisecond)) * int64(time.Millisecond), nil
}

// parseSpan reads two times with a dash in between, each in ms since 1970.
func parseSpan(text string, now time.Time) (*Span, error) {
	from, to, ok := strings.Cut(text, "-")
	if !ok || !digits(from) || !digits(to) {
		return nil, badParam("except", "invalid except %q: use FROM-TO, two times in ms since 1970", text)
	}
	var span Span
	var err error
	if span.From, err = ParseBound(from, now); err != nil {
		return nil, err
	}
	if span.To, err = ParseBound(to, now); err != nil {
		return nil, err
	}
	if span.From >= span.To {
		return nil, badParam("except", "the end of except must be after its start")
	}
	return &span, nil
}

// boundText is the inverse of ParseBound. It writes times before 1970 as RFC 3339, because
// ParseTime reads negative numbers as times before now.
func boundText(ns int64) string {
	if ns < 0 {
		return time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
	}
	return strconv.FormatInt(Milliseconds(ns), 10)
}

func parseRecordID(text string) (id store.ID, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("invalid profile id %q: use %d hexadecimal digits", text, 2*len(id))
	}
	copy(id[:], b)
	if id == (store.ID{}) {
		return id, errors.New("invalid profile id: all its digits are 0")
	}
	return id, nil
}

// ParseSelection reads the id of a selection.
func ParseSelection(id string, now time.Time) (*Selection, error) {
	if len(id) > MaxSelected {
		return nil, fmt.Errorf("the selection is longer than %d bytes", MaxSelected)
	}
	values, err := url.ParseQuery(strings.TrimPrefix(id, SelectionPrefix))
	if err != nil {
		return nil, fmt.Errorf("the selection can't be read: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(SelectionParams, name) {
			return nil, fmt.Errorf("unknown selection parameter %q (known: %s)", name, strings.Join(SelectionParams, ", "))
		}
	}
	return ReadSelection(values, now)
}

// values returns the parameters that are not at their default.
func (sel *Selection) values() map[string]string {
	v := map[string]string{}
	if len(sel.Selector) > 0 {
		v["q"] = sel.Selector.String()
	}
	if sel.From != 0 {
		v["from"] = boundText(sel.From)
	}
	if sel.To != 0 {
		v["to"] = boundText(sel.To)
	}
	if sel.Except != nil {
		v["except"] = sel.Except.String()
	}
	if sel.SampleType != "" {
		v["sample_type"] = sel.SampleType
	}
	if sel.Top != 0 {
		v["top"] = strconv.FormatFloat(sel.Top, 'g', -1, 64)
	}
	if sel.ID != (store.ID{}) {
		v["id"] = hex.EncodeToString(sel.ID[:])
	}
	if sel.Per != PerDefault {
		v["per"] = sel.Per
	}
	if sel.SpanID != "" {
		v["span"] = sel.SpanID
	}
	return v
}

// String returns the id of the selection. Equal selections have equal ids.
func (sel *Selection) String() string {
	v := sel.values()
	var b strings.Builder
	for _, name := range SelectionParams {
		if v[name] != "" {
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(name + "=" + url.QueryEscape(v[name]))
		}
	}
	return SelectionPrefix + b.String()
}

// Name returns the name of the selection for pages, reports and files.
func (sel *Selection) Name() string {
	name := sel.Selector.String()
	switch sel.Per {
	case PerProfile:
		name += " per profile"
	case PerSecond:
		name += " per second"
	case PerRequest:
		name += " per request"
	}
	if sel.SpanID != "" {
		name += " in span " + sel.SpanID
	}
	if sel.Top != 0 {
		name += fmt.Sprintf(", top %g %%", 100*sel.Top)
	}
	return name
}

// Rate reports whether values are divided by the time that was profiled, or by the requests
// in it. Profiles without a duration have no such values.
func (sel *Selection) Rate() bool { return sel.Per == PerSecond || sel.Per == PerRequest }

// Query returns the selection as a query, ignoring Except. Rates need profiles with a
// duration, so the query then leaves out all others.
func (sel *Selection) Query() store.Query {
	return store.Query{Selector: sel.Selector, From: sel.From, To: sel.To, ID: sel.ID, SampleType: sel.SampleType, Top: sel.Top, Lasting: sel.Rate()}
}

// Queries returns queries that together select what the selection does, each profile once:
// with Except, one for the time before and one for the time after.
func (sel *Selection) Queries() []store.Query {
	q := sel.Query()
	hole := sel.Except
	if hole == nil || q.To != 0 && hole.From >= q.To || hole.To <= q.From {
		return []store.Query{q}
	}
	before, after := q, q
	before.To, after.From = hole.From, hole.To
	var all []store.Query
	if q.From == 0 || q.From < hole.From {
		all = append(all, before)
	}
	if q.To == 0 || hole.To < q.To {
		all = append(all, after)
	}
	return all
}

// Within returns the part of the selection between two times whose labels by have the given
// values. An absent label matches only profiles without it.
func (sel *Selection) Within(by []string, labels store.Labels, from, to int64) (*Selection, error) {
	part := *sel
	part.Selector = part.Selector[:len(part.Selector):len(part.Selector)]
	for _, name := range by {
		m, err := store.NewMatcher(name, store.Equal, labels.Get(name))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(part.Selector, func(old store.Matcher) bool {
			return old.Name == m.Name && old.Op == m.Op && old.Value == m.Value
		}) {
			part.Selector = append(part.Selector, m)
		}
	}
	part.From, part.To = from, to
	return &part, nil
}

// Describe returns the selection with its times, for messages.
func (sel *Selection) Describe() string {
	text := sel.Selector.String()
	if sel.ID != (store.ID{}) {
		text += " with id " + hex.EncodeToString(sel.ID[:])
	}
	if sel.From != 0 {
		text += " from " + time.Unix(0, sel.From).UTC().Format(time.RFC3339)
	}
	if sel.To != 0 {
		text += " to " + time.Unix(0, sel.To).UTC().Format(time.RFC3339)
	}
	if hole := sel.Except; hole != nil {
		text += " except " + time.Unix(0, hole.From).UTC().Format(time.RFC3339) + " to " + time.Unix(0, hole.To).UTC().Format(time.RFC3339)
	}
	return text
}
