package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

// broken is a store that takes so many profiles and then no more.
type broken struct {
	store.Store
	left atomic.Int64
}

var errBroken = errors.New("broken")

func (b *broken) Put(ctx context.Context, records []store.Record) error {
	if b.left.Add(-int64(len(records))) < 0 {
		return errBroken
	}
	return b.Store.Put(ctx, records)
}

// some returns profiles of three services and several hours, every tenth of the time
// and labels of the one before.
func some(t *testing.T, n int) []store.Record {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var all []store.Record
	for i := range n {
		at := int64(1_700_000_000+i/10*10*77) * int64(time.Second)
		if i%10 > 1 {
			at += int64(i%10) * int64(time.Second)
		}
		kind := []string{"cpu", "heap"}[r.IntN(2)]
		labels, err := store.NewLabels(
			store.Label{Name: store.LabelService, Value: fmt.Sprint("s", i/10%3)}, store.Label{Name: store.LabelKind, Value: kind},
			store.Label{Name: "pod", Value: fmt.Sprint(i / 10 % 4)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, store.Record{ID: store.ID{1, byte(i), byte(i >> 8)}, Labels: labels, Time: at, Duration: int64(i), Profile: storetest.Generate(r, kind, 5)})
	}
	return all
}

// TestCopy copies a store, in two calls of which the first breaks off.
func TestCopy(t *testing.T) {
	from, to := storetest.NewModel(), storetest.NewModel()
	all := some(t, 700)
	if err := from.Put(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	breaks := &broken{Store: to}
	breaks.left.Store(300)
	first, err := store.Copy(t.Context(), breaks, from, nil)
	if !errors.Is(err, errBroken) || first.New == 0 || first.New > 300 {
		t.Fatalf("%+v, %v", first, err)
	}
	var told store.Copied
	second, err := store.Copy(t.Context(), to, from, func(c store.Copied) { told = c })
	if want := (store.Copied{Profiles: 700, Done: 700, New: 700 - first.New, Checked: 700}); err != nil || second != want || told != want {
		t.Errorf("%+v, told %+v, want %+v; %v", second, told, want, err)
	}
	for _, r := range all {
		got, err := to.Merge(t.Context(), store.Query{ID: r.ID, From: r.Time, To: r.Time + 1, By: []string{"kind", "pod", "service"}})
		if err != nil || len(got) != 1 {
			t.Fatalf("%d groups, %v", len(got), err)
		}
		want := profile.Compact(r.Profile)
		want.TimeNanos, want.DurationNanos = r.Time, r.Duration
		if diff := storetest.Diff(got[0].Profile, want); diff != "" || got[0].Labels.String() != r.Labels.String() {
			t.Errorf("%v of %v: %s", got[0].Labels, r.Labels, diff)
		}
	}
	third, err := store.Copy(t.Context(), to, from, nil)
	if err != nil || third.New != 0 || third.Checked != 700 {
		t.Errorf("%+v, %v", third, err)
	}
}

// TestCopyDiffers: a target that has another profile in place of one is told.
func TestCopyDiffers(t *testing.T) {
	from, to := storetest.NewModel(), storetest.NewModel()
	all := some(t, 20)
	if err := from.Put(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	other := all[7]
	other.Profile = profile.Compact(other.Profile)
	for _, column := range other.Profile.Values {
		column[0]++
	}
	if err := to.Put(t.Context(), []store.Record{other}); err != nil {
		t.Fatal(err)
	}
	if c, err := store.Copy(t.Context(), to, from, nil); !errors.Is(err, store.ErrDiffers) {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestCopyBesides: what a target has of something else, with the same labels, is no difference.
func TestCopyBesides(t *testing.T) {
	from, to := storetest.NewModel(), storetest.NewModel()
	all := some(t, 20)
	if err := from.Put(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	besides := all[3]
	besides.ID = store.ID{99}
	besides.Profile = profile.Compact(besides.Profile)
	for i := range besides.Profile.SampleTypes {
		besides.Profile.SampleTypes[i] = profile.ValueType{Type: fmt.Sprint("other", i), Unit: "count"}
	}
	if err := to.Put(t.Context(), []store.Record{besides}); err != nil {
		t.Fatal(err)
	}
	if c, err := store.Copy(t.Context(), to, from, nil); err != nil || c.Checked != 20 {
		t.Errorf("%+v, %v", c, err)
	}
}
