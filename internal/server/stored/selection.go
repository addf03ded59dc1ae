package stored

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// errNoStore is the error of requests for what only a server with a store has.
var errNoStore = errors.New("this server stores no profiles: use hone serve")

// selections opens selections of a store, each once for all who ask.
type selections struct {
	store store.Store // as each principal sees it
	cache *server.Cache
	log   func(string)
}

// storeError tells what went wrong in the store. What is not the request's fault
// is logged, and not told in detail.
func (s *selections) storeError(err error, param string) error {
	var re *server.Error
	switch {
	case errors.As(err, &re), server.IsRefused(err), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, profile.ErrNothingCommon):
		return &server.Error{Status: http.StatusUnprocessableEntity, Param: param, Err: fmt.Errorf("%w; select one kind", err)}
	case errors.Is(err, store.ErrClosed):
		return &server.Error{Status: http.StatusServiceUnavailable, Err: errors.New("the server is shutting down")}
	}
	s.log("Can't read the store: " + err.Error())
	return &server.Error{Status: http.StatusInternalServerError, Err: errors.New("can't read the store; the server's log says why")}
}

// Opens reports whether an id is one of a selection.
func (s *Service) Opens(id string) bool { return strings.HasPrefix(id, api.SelectionPrefix) }

// Open returns the profile of a selection by its id.
func (s *Service) Open(ctx context.Context, id string, now time.Time) (reports.Opened, error) {
	sel, err := api.ParseSelection(id, now)
	if err != nil {
		return reports.Opened{}, server.BadParam("profile", "%w", err)
	}
	return s.selections.open(ctx, sel)
}

// open returns a selection as a profile that can be asked for. Its version is that
// of now: what is made of it holds until the store has another.
//
// What was opened before is probably kept, and the store is asked for the total alone,
// to see if it holds. The first time it is merged at once, which tells the total, too:
// so the store is asked once.
func (s *selections) open(ctx context.Context, sel *api.Selection) (reports.Opened, error) {
	sum := summed(sel)
	var merged *store.Group // by this request: another one's may be older than what it has to see
	_, err := server.Cached(ctx, s.cache, "opened "+sum.String(), func(ctx context.Context) (bool, int64, error) {
		var err error
		merged, err = s.merge(ctx, sum)
		return true, 0, err
	})
	var total store.Total
	switch {
	case err != nil:
	case merged != nil:
		total = merged.Total
	default:
		if total, err = s.totalOf(ctx, sel); err == nil && total.Profiles == 0 {
			err = s.noProfiles(ctx, sel)
		}
	}
	if err != nil {
		return reports.Opened{}, err
	}
	version := fmt.Sprintf("@%x", total.Version)
	if sel.Per == api.PerSecond { // it is said how many others there are
		all, err := s.totalOf(ctx, whole(sel))
		if err != nil {
			return reports.Opened{}, err
		}
		version += fmt.Sprintf("+%x", all.Version)
	}
	var held atomic.Pointer[store.Group] // until it is in the cache, which decides how long it is kept
	held.Store(merged)
	return reports.Opened{
		ID: sel.String(), Name: sel.Name(), Version: version,
		Selection: func() *api.SelectionInfo { return describe(sel, total) },
		Load: func(ctx context.Context) (*profile.Profile, error) {
			return s.loadSelection(ctx, sel, version, held.Swap(nil))
		},
	}, nil
}

// summed returns the selection whose sum is divided for sel. For values per second it has
// no profiles without a duration.
func summed(sel *api.Selection) *api.Selection {
	sum := *sel
	if sum.Per != api.PerSecond {
		sum.Per = api.PerSum
	}
	return &sum
}

// whole returns the selection with all profiles, also those without a duration.
func whole(sel *api.Selection) *api.Selection {
	all := *sel
	all.Per = api.PerSum
	return &all
}

// describe tells a selection with what the store says of it.
func describe(sel *api.Selection, total store.Total) *api.SelectionInfo {
	of := &api.SelectionInfo{
		Q: sel.Selector.String(), From: api.Milliseconds(sel.From), To: api.Milliseconds(sel.To), SampleType: sel.SampleType, Top: sel.Top, Per: sel.Per,
		Profiles: total.Profiles, Duration: total.Duration, Last: api.Milliseconds(total.Last),
	}
	if sel.ID != (store.ID{}) {
		of.ID = hex.EncodeToString(sel.ID[:])
	}
	return of
}

// noProfiles is the error of a selection without profiles. Where there are some of
// other kinds it names those: heap is not memory.
func (s *selections) noProfiles(ctx context.Context, sel *api.Selection) error {
	if sel.Per == api.PerSecond {
		if total, err := s.totalOf(ctx, whole(sel)); err != nil || total.Profiles > 0 {
			return cmp.Or(err, error(server.BadParam("per", "these profiles have no duration, so they have no values per second")))
		}
	}
	other := sel.Query()
	other.Selector = slices.DeleteFunc(slices.Clone(other.Selector), func(m store.Matcher) bool { return m.Name == store.LabelKind })
	hint := ""
	if len(other.Selector) < len(sel.Selector) && sel.ID == (store.ID{}) {
		labels, err := s.store.Labels(ctx, store.Query{Selector: other.Selector, From: other.From, To: other.To})
		if err != nil {
			return s.storeError(err, "profile")
		}
		for _, l := range labels {
			if l.Name == store.LabelKind && len(l.Values) > 0 {
				hint = ": there are profiles of other kinds: " + enumerate(l.Values, 20)
			}
		}
	}
	return &server.Error{Status: http.StatusNotFound, Param: "profile", Err: fmt.Errorf("no profiles match %s%s", sel.Describe(), hint)}
}

// enumerate lists the first of some words.
func enumerate(words []string, most int) string {
	if len(words) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	return strings.Join(words, ", ")
}

// totalOf returns the total of a selection, without profiles if there are none.
func (s *selections) totalOf(ctx context.Context, sel *api.Selection) (store.Total, error) {
	q := sel.Query()
	q.Step = wholeStep
	series, err := s.store.Series(ctx, q)
	if err != nil {
		return store.Total{}, s.storeError(err, "profile")
	}
	var total store.Total
	for _, one := range series {
		for _, p := range one.Points {
			// One, but for profiles of before 1970. Versions add up, as Merge adds them.
			total.Value += p.Value
			total.Profiles += p.Profiles
			total.Duration += p.Duration
			total.Last = max(total.Last, p.Last)
			total.Version += p.Version
		}
	}
	return total, nil
}

// loadSelection returns a selection's profile, of what is merged if that isn't nil.
func (s *selections) loadSelection(ctx context.Context, sel *api.Selection, version string, merged *store.Group) (*profile.Profile, error) {
	if sel.Per == api.PerSum || sel.Per == api.PerDefault {
		g, err := s.mergeSelection(ctx, summed(sel), version, merged)
		if err != nil {
			return nil, err
		}
		merged = g
		if sel.Per == api.PerSum || g.Profiles < 2 || !slices.ContainsFunc(g.Profile.SampleTypes, func(t profile.ValueType) bool { return profile.OfMoment(t.Type) }) {
			return g.Profile, nil
		}
	}
	return server.Cached(ctx, s.cache, "average "+sel.String()+version, func(ctx context.Context) (*profile.Profile, int64, error) {
		g, err := s.mergeSelection(ctx, summed(sel), version, merged)
		if err != nil {
			return nil, 0, err
		}
		p := g.Profile
		if sel.Per == api.PerDefault {
			p = averageMoments(p, g.Profiles)
		} else {
			p = average(p, sel.Per, g.Total)
		}
		return p, reports.ProfileBytes(p), nil
	})
}

// mergeSelection keeps what is merged, or merges a selection's profiles if that is nil.
// They may have changed since the version was told: the result is never older than that.
func (s *selections) mergeSelection(ctx context.Context, sel *api.Selection, version string, merged *store.Group) (*store.Group, error) {
	return server.Cached(ctx, s.cache, "merge "+sel.String()+version, func(ctx context.Context) (*store.Group, int64, error) {
		g := merged
		if g == nil {
			var err error
			if g, err = s.merge(ctx, sel); err != nil {
				return nil, 0, err
			}
		}
		return g, reports.ProfileBytes(g.Profile), nil
	})
}

// merge asks the store for a selection's sum.
func (s *selections) merge(ctx context.Context, sel *api.Selection) (*store.Group, error) {
	q := sel.Query()
	left := int64(0) // profiles without a duration
	if q.Lasting {
		of, err := s.totalOf(ctx, whole(sel))
		if err != nil {
			return nil, err
		}
		lasting, err := s.totalOf(ctx, sel)
		if err != nil {
			return nil, err
		}
		// As a rule all have one, and their sums are at hand.
		left = of.Profiles - lasting.Profiles
		q.Lasting = left != 0
	}
	q.Budget = server.Budget(ctx)
	groups, err := s.store.Merge(ctx, q)
	if err != nil {
		return nil, s.storeError(err, "profile")
	}
	if len(groups) != 1 {
		return nil, s.noProfiles(ctx, sel)
	}
	g := &groups[0]
	if left > 0 {
		g.Profile = g.Profile.WithWarning("%s", leftOut(left, left+g.Profiles))
	}
	return g, nil
}

// leftOut says how many profiles are not among those that values per second are of.
func leftOut(left, all int64) string {
	return fmt.Sprintf("%d of %d profiles have no duration and are left out of the values per second", left, all)
}

// averageMoments divides the sum of n profiles by n where its values are of a moment, and
// has the profile say so. Agents send such values with the time since the last ones, so a
// duration doesn't tell that they are differences.
func averageMoments(p *profile.Profile, n int64) *profile.Profile {
	moment := *p
	moment.DurationNanos = 0
	q, types := moment.AverageMoments(int(n))
	if len(types) == 0 {
		return p
	}
	q.DurationNanos = p.DurationNanos
	q.Comments = append(slices.Clip(p.Comments), averaged(types, n))
	return q
}

// averaged says which values are averages, of how many profiles.
func averaged(types []string, n int64) string {
	return fmt.Sprintf("%s: average of %d profiles (per=sum adds them up)", strings.Join(types, ", "), n)
}

// average returns the sum of profiles divided by their number or duration.
func average(p *profile.Profile, per string, t store.Total) *profile.Profile {
	by, length := float64(t.Profiles), t.Duration/max(1, t.Profiles)
	if per == api.PerSecond {
		by, length = float64(t.Duration)/float64(time.Second), int64(time.Second)
	}
	q := *p
	q.DurationNanos = length
	q.Values = make([][]int64, len(p.Values))
	for i, column := range p.Values {
		q.Values[i] = profile.Divided(column, by)
	}
	return &q
}

// mergedProfile answers the sum of a selection as a file that other tools read.
func (s *Service) mergedProfile(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, append(slices.Clone(api.SelectionParams), "seconds"))
	if err != nil {
		return err
	}
	if seconds, err := p.number("seconds", 0, 1, 366*86400); err != nil {
		return err
	} else if seconds > 0 && p.Get("from") == "" {
		end := p.now
		if to := p.Get("to"); to != "" {
			if end, err = api.ParseTime(to, p.now); err != nil {
				return server.BadParam("to", "to: %w", err)
			}
		}
		p.Set("from", strconv.FormatInt(end.Add(-time.Duration(seconds)*time.Second).UnixMilli(), 10))
	}
	sel, err := p.selection(true)
	if err != nil {
		return err
	}
	o, err := s.selections.open(r.Context(), sel)
	if err != nil {
		return err
	}
	a, err := server.Cached(r.Context(), s.srv.Cache, "pprof "+o.ID+o.Version, func(ctx context.Context) (*server.Answer, int64, error) {
		merged, err := o.Load(ctx)
		if err != nil {
			return nil, 0, err
		}
		a, err := server.Compose(ctx, "application/octet-stream", merged.EncodeFast)
		if err != nil {
			return nil, 0, err
		}
		return a, a.Cost(), nil
	})
	if err != nil {
		return err
	}
	server.Attach(w.Header(), o.Name+".pb.gz")
	return a.Write(w, r, http.StatusOK, server.Revalidate)
}

// preparedServices is how many services' flame graphs are made in advance.
const preparedServices = 3

// Prepare asks which services there are, which brings their dictionaries into
// memory, and has flame make the latest flame graphs by the ids of their profiles.
// The answers are of no use later, but a program that has just been started is read
// from the disk as it runs, and that takes longer than what it computes. Errors are
// for those who ask. It returns early when ctx is done.
func (s *Service) Prepare(ctx context.Context, flame func(ctx context.Context, id string) error) {
	_, _, _ = s.srv.Cache.Guarded(auth.With(ctx, auth.Anyone), func(ctx context.Context) (any, int64, error) {
		ids, err := s.selections.latest(ctx)
		for i := 0; i < len(ids) && err == nil; i++ {
			err = flame(ctx, ids[i])
		}
		return nil, 0, err
	})
}

// latest returns the ids of the CPU profiles of the last hour of the services that
// sent some last.
func (s *selections) latest(ctx context.Context) ([]string, error) {
	q := (&api.Selection{From: time.Now().Add(-24 * time.Hour).UnixNano()}).Query()
	q.By, q.Step = []string{store.LabelService, store.LabelKind}, wholeStep
	series, err := s.store.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	last := func(of store.Series) int64 { return of.Points[len(of.Points)-1].Last }
	series = slices.DeleteFunc(series, func(of store.Series) bool { return of.Labels.Get(store.LabelKind) != "cpu" })
	slices.SortStableFunc(series, func(a, b store.Series) int { return cmp.Compare(last(b), last(a)) })
	var ids []string
	for _, of := range series[:min(len(series), preparedServices)] {
		sel := api.Selection{Selector: labelSelector(of.Labels, store.LabelKind, store.LabelService), From: last(of) - int64(time.Hour)}
		ids = append(ids, sel.String())
	}
	return ids, nil
}

// None opens selections where there is no store: it tells that.
type None struct{}

// Opens reports whether an id is one of a selection.
func (None) Opens(id string) bool { return strings.HasPrefix(id, api.SelectionPrefix) }

// Open fails.
func (None) Open(_ context.Context, id string, now time.Time) (reports.Opened, error) {
	if _, err := api.ParseSelection(id, now); err != nil {
		return reports.Opened{}, server.BadParam("profile", "%w", err)
	}
	return reports.Opened{}, &server.Error{Status: http.StatusNotFound, Param: "profile", Err: errNoStore}
}
