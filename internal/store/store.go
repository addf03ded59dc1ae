// Package store says what keeps profiles over time: records go in, merged
// profiles and totals over time come out. It has no engine of its own; see
// package disk for the one that hone serve uses, and package storetest for what
// every engine has to pass.
package store

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/hone-go/hone/profile"
)

// A Store keeps profiles. Its methods may be called from several goroutines.
// They return the context's error when it is done before they are.
type Store interface {
	// Put keeps records. When it returns nil all of them are durable: they
	// outlast a crash of the process and of the machine. When it returns an
	// error any of them may have been kept, and the call may be repeated: a
	// record with an ID that the store has already is dropped, and Put sets Known in
	// it. Records may be of any time inside the retention, in any order; older ones
	// fail the call with ErrExpired, those of a service that would take too much memory with
	// ErrVaried. Profiles are read until Put returns and not after.
	Put(ctx context.Context, records []Record) error

	// Merge returns the profiles that q selects, merged into one per group, in
	// the order of the groups' times, then labels. Groups without profiles are
	// not returned. The profiles are the caller's; their TimeNanos and
	// DurationNanos are Time and Duration of the group.
	//
	// Profiles of one group that measure different things are reduced to the
	// sample types they share, as by [profile.Sum]; with none the call fails
	// with profile.ErrNothingCommon.
	Merge(ctx context.Context, q Query) ([]Group, error)

	// Series returns totals over time, one series per group, in the order of
	// their labels, without series that have no points.
	Series(ctx context.Context, q Query) ([]Series, error)

	// Labels returns the names and values of labels that the selected profiles
	// have, both sorted. Step, By, SampleType and Top of q mean nothing here.
	Labels(ctx context.Context, q Query) ([]LabelValues, error)

	// Close waits for calls under way and releases the store; calls after it
	// return ErrClosed.
	Close() error
}

// A Deleter is a store that can forget a service.
type Deleter interface {
	// DeleteService deletes all profiles of a service and returns how many these were.
	// What was deleted may be put again. With an error some may be left, which another
	// call deletes. With dry nothing is deleted.
	DeleteService(ctx context.Context, service string, dry bool) (profiles int64, err error)
}

// A Record is a profile to be kept.
type Record struct {
	// ID tells the record from all others of its time: of records with equal
	// IDs and times one is kept. Whoever sends a record again uses the ID of
	// the first time.
	ID ID
	// Labels identify the process and the kind of profile; see LabelService
	// and the names after it.
	Labels Labels
	// Time is the start of the collection, in ns since 1970 UTC, and Duration
	// its length in ns; 0 for profiles of a moment, such as goroutines.
	Time     int64
	Duration int64
	// Profile is what is kept, without TimeNanos and DurationNanos, which the
	// above replace. It has one sample type or more.
	Profile *profile.Profile

	// Known is set by Put, when it returns nil, in records that the store had already.
	Known bool
}

// ID is the identity of a record.
type ID [16]byte

// Names of labels that have a meaning to hone. A record has the first two.
const (
	LabelService  = "service"
	LabelKind     = "kind" // what was profiled: cpu, wall, heap, allocs, mutex, block, goroutine, goroutineleak, threadcreate, ...
	LabelVersion  = "version"
	LabelZone     = "zone"
	LabelInstance = "instance"
)

// A Query selects profiles and says what is to be told about them. The zero
// value selects everything.
type Query struct {
	// Selector keeps the profiles whose labels match all of it.
	Selector Selector
	// From and To are times in ns since 1970 UTC: a profile belongs to its
	// Time, which is From or later and before To. From 0 has no beginning, To 0
	// no end.
	From, To int64
	// ID, unless it is zero, selects the single profile with it.
	ID ID
	// Lasting selects the profiles with a duration alone: those that can be divided
	// by it.
	Lasting bool

	// By are names of labels: profiles with the same values of them are a
	// group. Without names all profiles are one group.
	By []string
	// Step, unless it is 0, is a length of time in ns; groups and points are
	// of the windows [n*Step, (n+1)*Step).
	//
	// Series with Step 0 has a point for each profile, with its ID.
	Step int64
	// SampleType names the value column that Series adds up and that Top ranks
	// by, as in [profile.Profile.SampleIndex]; "" is the profile's default.
	// Merge keeps that column alone, or with "" all. Profiles without such a
	// column are left out.
	SampleType string
	// Top, unless it is 0, keeps the most expensive profiles of each group
	// alone: this share of their number (0.05 is 5 %), rounded up; see Kept. Of
	// equal ones the earlier are kept, and of the same time those with lower IDs.
	Top float64
	// Limit bounds the number of points of all series together, of the latest
	// times; 0 is no bound.
	Limit int

	// Budget, unless it is nil, is where the memory of Merge's profiles, and of making
	// them, comes from. Its errors fail the call. Stores whose data is elsewhere have
	// limits of their own, and don't ask it.
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

// OneByOne reports whether profiles have to be looked at one by one to know what is
// selected: sums of all that are in a window don't tell.
func (q *Query) OneByOne() bool { return q.Top != 0 || q.ID != ID{} || q.Lasting }

// Contains reports whether time t is one that q asks for.
func (q *Query) Contains(t int64) bool {
	return (q.From == 0 || t >= q.From) && (q.To == 0 || t < q.To)
}

// A Group is one merged profile.
type Group struct {
	Labels  Labels // the values of Query.By; those that profiles don't have are left out
	Time    int64  // start of the window with Query.Step, or else of the first profile
	Profile *profile.Profile
	Total
}

// Series are the totals of a group over time, by rising time.
type Series struct {
	Labels Labels
	Type   profile.ValueType // what the values are of; none if the profiles don't agree
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
	Value    int64 // sum of the values of the sample type; 0 in groups of several types or units of it
	Profiles int64
	Duration int64 // sum of the profiles' lengths in ns
	Last     int64 // latest time of a profile's end, in ns since 1970 UTC
	// Version changes whenever the profiles that are summed up do, and only
	// then, so that what was computed from them can be kept until then, also by
	// others and when the store was closed in between. Of the same profiles Merge and
	// Series tell the same one, and that of several totals is their sum.
	Version uint64
}

// LabelValues are the values of one label.
type LabelValues struct {
	Name   string
	Values []string
}

// Errors of stores, besides those of profiles.
var (
	ErrClosed  = errors.New("the store is closed")
	ErrExpired = errors.New("the profile is older than the store keeps profiles")
	// ErrFull is the error of Put when there is no room on the disk. What is
	// kept can still be read, and Put works again once there is room.
	ErrFull = errors.New("no space left for profiles")
	// ErrVaried is the error of Put when the profiles of a service have more different
	// stacks and names than a store keeps together.
	ErrVaried = errors.New("the service's profiles have too many different stacks and names")
	// ErrUnavailable is the error of Put when nothing can be kept for another
	// reason than room, such as a directory that is gone.
	ErrUnavailable = errors.New("profiles can't be kept")
)

// Window returns the start of the window of length step, in ns, that t is in.
func Window(t, step int64) int64 {
	w := t % step
	if w < 0 {
		w += step
	}
	return t - w
}

// Latest drops all but the n latest points of series, as Query.Limit asks, and
// series without points then; 0 is no bound.
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
	extra := 0 // points of the first time that there is no room for
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
