package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

func put(t testing.TB, s store.Store, records ...store.Record) {
	t.Helper()
	if err := s.Put(t.Context(), records); err != nil {
		t.Fatalf("Put: %v", err)
	}
}

func merge(t testing.TB, s store.Store, q store.Query) []store.Group {
	t.Helper()
	groups, err := s.Merge(t.Context(), q)
	if err != nil {
		t.Fatalf("Merge: %v", err)
	}
	return groups
}

// mergeOne is merge of what has to be one group.
func mergeOne(t testing.TB, s store.Store, q store.Query) store.Group {
	t.Helper()
	groups := merge(t, s, q)
	if len(groups) != 1 {
		t.Fatalf("Merge: got %d groups, want one", len(groups))
	}
	return groups[0]
}

func series(t testing.TB, s store.Store, q store.Query) []store.Series {
	t.Helper()
	all, err := s.Series(t.Context(), q)
	if err != nil {
		t.Fatalf("Series: %v", err)
	}
	return all
}

// selector parses a selector.
func selector(t testing.TB, text string) store.Selector {
	t.Helper()
	s, err := store.ParseSelector(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantText(t testing.TB, what, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

func wantProfile(t testing.TB, what string, got, want *profile.Profile) {
	t.Helper()
	if d := Diff(got, want); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

// answers are what a store says to a query.
type answers struct {
	groups []store.Group
	err    error // of Merge; the others may not fail
	series []store.Series
	names  []store.LabelValues
}

func ask(t testing.TB, s store.Store, q store.Query) (a answers) {
	t.Helper()
	a.groups, a.err = s.Merge(t.Context(), q)
	a.series = series(t, s, q)
	names, err := s.Labels(t.Context(), q)
	if err != nil {
		t.Fatalf("Labels: %v", err)
	}
	a.names = names
	return a
}

// wantAnswers fails unless both stores say the same to q; the second one is right.
func wantAnswers(t testing.TB, s, model store.Store, q store.Query) {
	t.Helper()
	got, want := ask(t, s, q), ask(t, model, q)
	unlimited := q
	unlimited.Limit = 0
	for _, problem := range []string{
		diffErrors(got.err, want.err),
		diffGroups(got.groups, want.groups),
		diffSeries(got.series, want.series, series(t, s, unlimited)),
		diffNames(got.names, want.names),
	} {
		if problem != "" {
			t.Errorf("%s: %s", describe(q), problem)
		}
	}
}

func describe(q store.Query) string {
	return fmt.Sprintf("query %v from %d to %d id %x by %v step %v type %q top %v limit %d",
		q.Selector, q.From, q.To, q.ID, q.By, time.Duration(q.Step), q.SampleType, q.Top, q.Limit)
}

// allNames are names and values without a query.
func allNames(t testing.TB, s store.Store) string {
	t.Helper()
	names, err := s.Labels(context.Background(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(names)
}

// sumBetween adds up the points of single profiles.
func sumBetween(t *testing.T, s store.Store, from, to int64) (sum int64) {
	for _, line := range series(t, s, store.Query{From: from, To: to}) {
		for _, p := range line.Points {
			sum += p.Value
		}
	}
	return sum
}
