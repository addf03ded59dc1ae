package disk

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// While profiles come in, are packed and dropped, every answer is one that was
// right at some moment: what was acknowledged and isn't too old is in it.
func TestAllAtOnce(t *testing.T) {
	now := time.Unix(0, base).Add(6 * time.Hour)
	s := open(t, "d", Options{FS: vfs.NewMem(), Retention: 4*time.Hour + 30*time.Minute, Now: func() time.Time { return now }, CacheBytes: 1 << 20})
	defer s.Close()
	const writers, each = 3, 60
	var wg, background sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				r := record(t, 1000*w+i, fmt.Sprint("s", i%2), fmt.Sprint("i", w), time.Duration(i)*6*time.Minute)
				err := s.Put(t.Context(), []store.Record{r})
				if i < 10 {
					if !errors.Is(err, store.ErrExpired) {
						t.Errorf("record %d: got %v", i, err)
					}
					continue
				}
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	work := func(f func() error) {
		background.Add(1)
		go func() {
			defer background.Done()
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := f(); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	work(func() error { return s.Pack(t.Context()) })
	work(func() error {
		s.rewrites.Lock()
		defer s.rewrites.Unlock()
		defer s.dicts.trim(s.catalogue)
		return s.retention.retain(t.Context())
	})
	last := int64(0)
	work(func() error {
		g, err := s.Merge(t.Context(), store.Query{By: []string{"kind"}})
		if err != nil || len(g) == 0 {
			return err
		}
		if g[0].Profiles < last {
			return fmt.Errorf("%d profiles were %d before", g[0].Profiles, last)
		}
		last = g[0].Profiles
		return sumsUp(g[0])
	})
	wg.Wait()
	close(done)
	background.Wait()
	g, err := s.Merge(t.Context(), store.Query{})
	if err != nil || g[0].Profiles != writers*(each-10) {
		t.Fatalf("%v: %d profiles, want %d", err, g[0].Profiles, writers*(each-10))
	}
	if err := sumsUp(g[0]); err != nil {
		t.Error(err)
	}
}

// sumsUp checks that the samples of a group add up to its total.
func sumsUp(g store.Group) error {
	column, err := g.Profile.SampleIndex("")
	if err != nil {
		return err
	}
	sum := int64(0)
	for _, v := range g.Profile.Values[column] {
		sum += v
	}
	if sum != g.Value {
		return fmt.Errorf("samples add up to %d, and the total is %d", sum, g.Value)
	}
	return nil
}

// Profiles of different programs are put together without looking for what they
// have in common; those of the same program are not.
func TestProgramsApart(t *testing.T) {
	program := func(file string, value int64) *profile.Profile {
		b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		m := b.Mapping(profile.Mapping{Start: 0x1000, Limit: 0x2000, File: file})
		f := b.Function("main.main", "main.main", "main.go", 1)
		l := b.Location(0x1234, m, profile.Line{Function: f, Line: 2})
		b.Sample([]uint32{l}, []profile.Label{{Key: b.String("k"), Str: b.String(file)}}, value)
		b.Sample([]uint32{l, l}, nil, value)
		return b.Profile()
	}
	for _, files := range [][]string{{"/a", "/b", "/c"}, {"/a", "/a", "/b"}} {
		s := open(t, "d", Options{FS: vfs.NewMem()})
		var all []store.Record
		for i, file := range files {
			r := record(t, i, fmt.Sprint("s", i), "i", time.Duration(i)*time.Second)
			r.Profile = program(file, int64(1+i))
			all = append(all, r)
		}
		put(t, s, all...)
		model := make([]*profile.Profile, len(all))
		for i := range all {
			model[i] = all[i].Profile
		}
		got, err := s.Merge(t.Context(), store.Query{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := profile.Merge(model...)
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Profile.NumSamples() != want.NumSamples() || len(got[0].Profile.Functions) != len(want.Functions) || len(got[0].Profile.Mappings) != len(want.Mappings) {
			t.Errorf("%v: got %d samples, %d functions, %d mappings; want %d, %d, %d", files, got[0].Profile.NumSamples(), len(got[0].Profile.Functions),
				len(got[0].Profile.Mappings), want.NumSamples(), len(want.Functions), len(want.Mappings))
		}
		wantSame(t, s, all)
		closeStore(t, s)
	}
}
