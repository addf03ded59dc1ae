// Package store defines the interface to profiles over time: records go in, merged
// profiles and totals come out. It has no engine. Package disk is the engine that
// hone serve uses by default; package storetest tests that an engine keeps the contract.
//
// From the ground up:
//
//	labels.go, pattern.go, selector.go  what identifies profiles, and conditions on it
//	store.go                            the interface: records, queries and their results
//	requests.go                         requests that agents count, for costs per request
//	group.go                            how every engine groups profiles
//	heat.go                             totals by time and label, or by time and value
//	calls.go                            counts the running calls of an engine
//	copy.go                             copies one store to another
package store

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/hone-go/hone/profile"
)

// A Store stores profiles. Its methods may be called concurrently. They return the
// context's error if the context ends before they finish.
type Store interface {
	// Put stores records. When it returns nil, all of them are durable: they survive a
	// crash of the process and of the machine. After an error, some of them may be
	// stored, and the call may be repeated: Put ignores a record whose ID the store
	// already has, and sets Known in it. Records may come in any order. A record older
	// than the retention fails the call with ErrExpired; a service that would take too
	// much memory fails it with ErrVaried. Put doesn't read profiles after it returns.
	Put(ctx context.Context, records []Record) error

	// Merge returns the profiles that q selects, merged into one per group, sorted
	// by time, then labels. It leaves out empty groups. The caller owns the profiles.
	// Their TimeNanos and DurationNanos are the Time and Duration of the group.
	//
	// Profiles of one group that measure different things are reduced to the
	// sample types they share, as by [profile.Sum]; with none the call fails
	// with profile.ErrNothingCommon.
	Merge(ctx context.Context, q Query) ([]Group, error)

	// Series returns totals over time, one series per group, sorted by labels. It
	// leaves out series without points.
	Series(ctx context.Context, q Query) ([]Series, error)

	// Labels returns the label names and values of the selected profiles, both
	// sorted. It ignores Step, By, SampleType and Top of q.
	Labels(ctx context.Context, q Query) ([]LabelValues, error)

	// Close waits for running calls and releases the store. Later calls return
	// ErrClosed.
	Close() error
}

// A Deleter is a store that can delete a service.
type Deleter interface {
	// DeleteService deletes all profiles of a service and returns their number.
	// Deleted profiles may be put again. After an error some profiles may be left; call
	// it again to delete them. With dry set, it deletes nothing.
	DeleteService(ctx context.Context, service string, dry bool) (profiles int64, err error)
}

// A Record is a profile to store.
type Record struct {
	// ID and Time identify the record: of records with the same ID and time, only one
	// is stored. To send a record again, use its first ID.
	ID ID
	// Labels identify the process and the kind of profile; see LabelService
	// and the names after it.
	Labels Labels
	// Time is the start of the collection, in ns since 1970 UTC, and Duration
	// its length in ns; 0 for profiles of a moment, such as goroutines.
	Time     int64
	Duration int64
	// Profile is the profile itself. Time and Duration replace its TimeNanos and
	// DurationNanos. It needs at least one sample type.
	Profile *profile.Profile

	// Known is set by a successful Put if the store already had the record.
	Known bool
}

// ID is the identity of a record.
type ID [16]byte

// A Query selects profiles and says how to group and sum them. The zero value
// selects everything.
type Query struct {
	// Selector selects the profiles whose labels match all its conditions.
	Selector Selector
	// From and To limit the Time of profiles, in ns since 1970 UTC: from From
	// (inclusive) to To (exclusive). 0 is no limit.
	From, To int64
	// ID, unless it is zero, selects the single profile with it.
	ID ID
	// Lasting selects only profiles with a duration, whose values can be divided by it.
	Lasting bool

	// By has label names: profiles with equal values of these labels are a group.
	// Without names, all profiles are one group.
	By []string
	// Step, unless it is 0, divides groups and points into windows of this many ns:
	// [n*Step, (n+1)*Step).
	//
	// With Step 0, Series returns a point for each profile, with its ID.
	Step int64
	// SampleType names the value column that Series sums and Top ranks by, as in
	// [profile.Profile.SampleIndex]; "" is the profile's default. Merge returns only
	// that column, or all of them with "". Profiles without the column are left out.
	SampleType string
	// Top, unless it is 0, selects only this share of each group's profiles, the most
	// expensive ones (0.05 is 5 %), rounded up; see Kept. Ties go to the earlier
	// profile, then to the lower ID.
	Top float64
	// Limit is the maximum number of points in all series together; the latest are
	// kept. 0 is no limit.
	Limit int

	// Budget, unless it is nil, accounts for the memory of Merge's profiles and of
	// making them. Its errors fail the call. A store on another machine has its own
	// limits, and doesn't ask it.
	Budget profile.Budget
}

// Kept returns how many of n profiles Top keeps.
func (q *Query) Kept(n int) int {
	if q.Top == 0 {
		return n
	}
	// A share such as 0.07 is a little more or less than it says.
	return min(n, max(int(math.Ceil(q.Top*float64(n)-1e-9)), 1))
}

// OneByOne reports whether the selection depends on single profiles, so that sums over a
// window aren't enough.
func (q *Query) OneByOne() bool { return q.Top != 0 || q.ID != ID{} || q.Lasting }

// Contains reports whether t is between From and To.
func (q *Query) Contains(t int64) bool {
	return (q.From == 0 || t >= q.From) && (q.To == 0 || t < q.To)
}

// A Group is one merged profile.
type Group struct {
	Labels  Labels // values of Query.By, without labels that the profiles don't have
	Time    int64  // start of the window with Query.Step, or else of the first profile
	Profile *profile.Profile
	Total
}

// Series are the totals of a group, sorted by time.
type Series struct {
	Labels Labels
	Type   profile.ValueType // type of the values; zero if the profiles' types differ
	Points []Point
}

// A Point is the total of one window, or one profile.
type Point struct {
	Time int64 // start of the window with Query.Step, or else of the profile
	ID   ID    // of the profile; zero with Query.Step
	Total
}

// A Total sums up profiles.
type Total struct {
	Value    int64 // sum of the sample type's values; 0 if types or units differ
	Profiles int64
	Duration int64 // sum of the profiles' lengths in ns
	Last     int64 // latest end of a profile, in ns since 1970 UTC
	// Version changes if, and only if, the summed profiles change. So results
	// computed from them can be cached under it, by any process, across restarts.
	// Merge and Series return the same version for the same profiles. The version of
	// several totals is the sum of theirs.
	Version uint64
}

// Errors of stores, besides those of profiles.
var (
	ErrClosed  = errors.New("the store is closed")
	ErrExpired = errors.New("the profile is older than the retention of the store")
	// ErrFull is the error of Put when the disk is full. Stored profiles can still be
	// read, and Put works again once there is space.
	ErrFull = errors.New("no space left for profiles")
	// ErrVaried is the error of Put when the profiles of a service have more distinct
	// stacks and names than the store's limit.
	ErrVaried = errors.New("the service's profiles have too many different stacks and names")
	// ErrUnavailable is the error of Put when nothing can be stored for a reason other
	// than disk space, such as a missing directory.
	ErrUnavailable = errors.New("profiles can't be stored")
)

// Window returns the start of the window of length step, in ns, that t is in.
func Window(t, step int64) int64 {
	w := t % step
	if w < 0 {
		w += step
	}
	return t - w
}

// Latest drops all points except the n latest, for Query.Limit, and then series without
// points. 0 is no limit.
func Latest(all []Series, n int) []Series {
	var times []int64
	for _, s := range all {
		for _, p := range s.Points {
			times = append(times, p.Time)
		}
	}
	if n == 0 || len(times) <= n {
		return all
	}
	slices.Sort(times)
	first := times[len(times)-n]
	extra := 0 // points at the first time that exceed n
	for _, t := range times[:len(times)-n] {
		if t == first {
			extra++
		}
	}
	for i := range all {
		all[i].Points = slices.DeleteFunc(all[i].Points, func(p Point) bool {
			if p.Time == first && extra > 0 {
				extra--
				return true
			}
			return p.Time < first
		})
	}
	return slices.DeleteFunc(all, func(s Series) bool { return len(s.Points) == 0 })
}
