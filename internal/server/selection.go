package server

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// selectionPrefix begins the ids of selections.
const selectionPrefix = "sel:"

// wholeStep is a length of window that all times of profiles since 1970 fit in.
const wholeStep = 1 << 62

// A selection is a set of profiles in the store that stands for one profile,
// their sum. It is a value: its id says all of it.
type selection struct {
	selector   store.Selector
	from, to   int64 // ns since 1970, whole ms; 0 is no bound
	sampleType string
	top        float64
	id         store.ID
	per        string // sum, profile or second
}

// Values of per.
const (
	perSum     = "sum"
	perProfile = "profile"
	perSecond  = "second"
)

// selectionParams are the parameters of selections in the order of ids.
var selectionParams = []string{"q", "from", "to", "sample_type", "top", "id", "per"}

// Limits of selections.
const (
	maxSelector = 16 << 10 // bytes
	maxSelected = 32 << 10 // bytes of an id
)

// readSelection reads the parameters of a selection from a query, which may have
// others.
func readSelection(values url.Values, now time.Time) (*selection, error) {
	sel := &selection{per: perSum}
	for _, name := range selectionParams {
		vs := values[name]
		if len(vs) > 1 {
			return nil, badParam(name, "%s is given %d times", name, len(vs))
		}
		if len(vs) == 0 || vs[0] == "" {
			continue
		}
		if err := sel.set(name, vs[0], now); err != nil {
			var re *requestError
			if errors.As(err, &re) {
				return nil, err
			}
			return nil, badParam(name, "%s: %w", name, err)
		}
	}
	if sel.from != 0 && sel.to != 0 && sel.from >= sel.to {
		return nil, badParam("to", "to is not after from")
	}
	return sel, nil
}

func (sel *selection) set(name, value string, now time.Time) (err error) {
	switch name {
	case "q":
		if len(value) > maxSelector {
			return fmt.Errorf("the selector is longer than %d bytes", maxSelector)
		}
		sel.selector, err = store.ParseSelector(value)
	case "from":
		sel.from, err = parseBound(value, now)
	case "to":
		sel.to, err = parseBound(value, now)
	case "sample_type":
		sel.sampleType = value
	case "top":
		if sel.top, err = strconv.ParseFloat(value, 64); err != nil || !(sel.top > 0 && sel.top <= 1) {
			return badParam(name, "top is %q, not a share such as 0.05, at most 1", value)
		}
		if sel.top == 1 {
			sel.top = 0 // all of them
		}
	case "id":
		sel.id, err = parseRecordID(value)
	case "per":
		if value != perSum && value != perProfile && value != perSecond {
			return badParam(name, "per is %q, not sum, profile or second", value)
		}
		sel.per = value
	}
	return err
}

// parseBound reads a bound of time, in ns since 1970. The first instant of 1970
// would be no bound.
func parseBound(text string, now time.Time) (int64, error) {
	t, err := ParseTime(text, now)
	if err != nil {
		return 0, err
	}
	return floorDiv(t.UnixNano(), int64(time.Millisecond)) * int64(time.Millisecond), nil
}

// boundText is what parseBound reads. A number below 0 would be taken for a time
// before now.
func boundText(ns int64) string {
	if ns < 0 {
		return time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
	}
	return strconv.FormatInt(milliseconds(ns), 10)
}

func parseRecordID(text string) (id store.ID, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("%q is no id of a profile, which has %d hexadecimal digits", text, 2*len(id))
	}
	copy(id[:], b)
	if id == (store.ID{}) {
		return id, errors.New("no profile has an id of zeros")
	}
	return id, nil
}

// parseSelection reads the id of a selection.
func parseSelection(id string, now time.Time) (*selection, error) {
	if len(id) > maxSelected {
		return nil, fmt.Errorf("the selection is longer than %d bytes", maxSelected)
	}
	values, err := url.ParseQuery(strings.TrimPrefix(id, selectionPrefix))
	if err != nil {
		return nil, fmt.Errorf("the selection can't be read: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(selectionParams, name) {
			return nil, fmt.Errorf("selections have no parameter %q: they have %s", name, strings.Join(selectionParams, ", "))
		}
	}
	return readSelection(values, now)
}

// values returns the parameters that are not at their default.
func (sel *selection) values() map[string]string {
	v := map[string]string{}
	if len(sel.selector) > 0 {
		v["q"] = sel.selector.String()
	}
	if sel.from != 0 {
		v["from"] = boundText(sel.from)
	}
	if sel.to != 0 {
		v["to"] = boundText(sel.to)
	}
	if sel.sampleType != "" {
		v["sample_type"] = sel.sampleType
	}
	if sel.top != 0 {
		v["top"] = strconv.FormatFloat(sel.top, 'g', -1, 64)
	}
	if sel.id != (store.ID{}) {
		v["id"] = hex.EncodeToString(sel.id[:])
	}
	if sel.per != perSum {
		v["per"] = sel.per
	}
	return v
}

// String returns the id of the selection: two with the same id are the same.
func (sel *selection) String() string {
	v := sel.values()
	var b strings.Builder
	for _, name := range selectionParams {
		if v[name] != "" {
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(name + "=" + url.QueryEscape(v[name]))
		}
	}
	return selectionPrefix + b.String()
}

// name is what the selection is called in pages, reports and files.
func (sel *selection) name() string {
	name := sel.selector.String()
	switch sel.per {
	case perProfile:
		name += " per profile"
	case perSecond:
		name += " per second"
	}
	if sel.top != 0 {
		name += fmt.Sprintf(", top %g %%", 100*sel.top)
	}
	return name
}

// query returns what the store is asked.
func (sel *selection) query() store.Query {
	return store.Query{Selector: sel.selector, From: sel.from, To: sel.to, ID: sel.id, SampleType: sel.sampleType, Top: sel.top}
}

// within returns the part of the selection that matches labels by name, where
// absent ones are to be absent, and lies between two times.
func (sel *selection) within(by []string, labels store.Labels, from, to int64) (*selection, error) {
	part := *sel
	part.selector = part.selector[:len(part.selector):len(part.selector)]
	for _, name := range by {
		m, err := store.NewMatcher(name, store.Equal, labels.Get(name))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(part.selector, func(old store.Matcher) bool {
			return old.Name == m.Name && old.Op == m.Op && old.Value == m.Value
		}) {
			part.selector = append(part.selector, m)
		}
	}
	part.from, part.to = from, to
	return &part, nil
}

// errNoStore is the error of requests for what only a server with a store has.
var errNoStore = errors.New("this server keeps no profiles: hone serve does")

// storeError tells what went wrong in the store. What is not the request's fault
// is logged, and not told in detail.
func (s *Server) storeError(err error, param string) error {
	var re *requestError
	switch {
	case errors.As(err, &re), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, profile.ErrNothingCommon):
		return &requestError{http.StatusUnprocessableEntity, param, err}
	case errors.Is(err, store.ErrClosed):
		return &requestError{http.StatusServiceUnavailable, "", errors.New("the server is ending")}
	}
	s.cfg.Log("The store can't be read: " + err.Error())
	return &requestError{http.StatusInternalServerError, "", errors.New("the store can't be read; the server's log says why")}
}

// openSelection returns a selection as a profile that can be asked for. Its
// version is that of now: what is made of it holds until the store has another.
func (s *Server) openSelection(ctx context.Context, sel *selection) (opened, store.Total, error) {
	total, err := s.totalOf(ctx, sel)
	if err != nil {
		return opened{}, total, err
	}
	if total.Profiles == 0 {
		return opened{}, total, &requestError{http.StatusNotFound, "profile", fmt.Errorf("no profiles match %s", sel.describe())}
	}
	o := opened{id: sel.String(), name: sel.name(), version: fmt.Sprintf("@%x", total.Version)}
	o.load = func(ctx context.Context) (*profile.Profile, error) { return s.loadSelection(ctx, sel, o.version) }
	return o, total, nil
}

// describe tells the selection with its times, for messages.
func (sel *selection) describe() string {
	text := sel.selector.String()
	if sel.id != (store.ID{}) {
		text += " with id " + hex.EncodeToString(sel.id[:])
	}
	if sel.from != 0 {
		text += " from " + time.Unix(0, sel.from).UTC().Format(time.RFC3339)
	}
	if sel.to != 0 {
		text += " to " + time.Unix(0, sel.to).UTC().Format(time.RFC3339)
	}
	return text
}

// totalOf returns the total of a selection, without profiles if there are none.
func (s *Server) totalOf(ctx context.Context, sel *selection) (store.Total, error) {
	if s.store == nil {
		return store.Total{}, &requestError{http.StatusNotFound, "profile", errNoStore}
	}
	q := sel.query()
	q.Step = wholeStep
	series, err := s.store.Series(ctx, q)
	if err != nil {
		return store.Total{}, s.storeError(err, "profile")
	}
	var total store.Total
	for _, one := range series {
		for _, p := range one.Points {
			// One, but for profiles of before 1970.
			total.Value += p.Value
			total.Profiles += p.Profiles
			total.Duration += p.Duration
			total.Last = max(total.Last, p.Last)
			total.Version = total.Version*31 + p.Version
		}
	}
	return total, nil
}

// loadSelection returns a selection's profile.
func (s *Server) loadSelection(ctx context.Context, sel *selection, version string) (*profile.Profile, error) {
	if sel.per == perSum {
		g, err := s.mergeSelection(ctx, sel, version)
		if err != nil {
			return nil, err
		}
		return g.Profile, nil
	}
	return cached(ctx, s.cache, "average "+sel.String()+version, func(ctx context.Context) (*profile.Profile, int64, error) {
		sum := *sel
		sum.per = perSum
		g, err := s.mergeSelection(ctx, &sum, version)
		if err != nil {
			return nil, 0, err
		}
		p, err := average(g.Profile, sel.per, g.Total)
		if err != nil {
			return nil, 0, err
		}
		return p, profileBytes(p), nil
	})
}

// mergeSelection merges a selection's profiles. They may have changed since its
// version was told: the result is never older than that.
func (s *Server) mergeSelection(ctx context.Context, sel *selection, version string) (*store.Group, error) {
	return cached(ctx, s.cache, "merge "+sel.String()+version, func(ctx context.Context) (*store.Group, int64, error) {
		groups, err := s.store.Merge(ctx, sel.query())
		if err != nil {
			return nil, 0, s.storeError(err, "profile")
		}
		if len(groups) != 1 {
			return nil, 0, &requestError{http.StatusNotFound, "profile", fmt.Errorf("no profiles match %s", sel.describe())}
		}
		return &groups[0], profileBytes(groups[0].Profile), nil
	})
}

// average returns the sum of profiles divided by their number or duration.
func average(p *profile.Profile, per string, t store.Total) (*profile.Profile, error) {
	by, length := float64(t.Profiles), t.Duration/max(1, t.Profiles)
	if per == perSecond {
		if t.Duration == 0 {
			return nil, badParam("per", "these profiles are of a moment and have no duration: they can't be divided by seconds")
		}
		by, length = float64(t.Duration)/float64(time.Second), int64(time.Second)
	}
	q := *p
	q.DurationNanos = length
	q.Values = make([][]int64, len(p.Values))
	for i, column := range p.Values {
		q.Values[i] = divided(column, by)
	}
	return &q, nil
}

// divided returns a column divided by a number. Values are rounded so that each
// sum of the first ones is right within a half: the total, and with it every
// share, doesn't drift however many small values there are.
func divided(column []int64, by float64) []int64 {
	out := make([]int64, len(column))
	var exact, rounded int64
	for i, v := range column {
		exact += v
		next := int64(math.Round(float64(exact) / by))
		out[i] = next - rounded
		rounded = next
	}
	return out
}
