package disk

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/internal/store/storetest"
)

// TestMoving asks again and again about ranges that move on, while profiles come, also late ones, and are packed
// and deleted, and hours are dropped. Each answer has to be the one that a store gives that has kept no sums.
func TestMoving(t *testing.T) {
	const minute = int64(time.Minute)
	rounds := uint64(3)
	if testing.Short() {
		rounds = 1
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := open(t, t.TempDir(), Options{PackAfter: -1})
			defer s.Close()
			r := rand.New(rand.NewPCG(seed, 37))
			kept, none := s.querier.sums, newCache(0)
			// merge asks with and without what was kept.
			merge := func(q store.Query) {
				t.Helper()
				got, err := s.Merge(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				s.querier.sums = none
				want, err := s.Merge(t.Context(), q)
				s.querier.sums = kept
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					for i := range min(len(got), len(want)) {
						t.Errorf("group %v: %s", got[i].Labels, storetest.Diff(got[i].Profile, want[i].Profile))
					}
					t.Fatalf("%+v: another answer than without kept sums", q)
				}
			}
			n, now := 0, 30*minute // what comes next, and when
			add := func(at int64) {
				put(t, s, record(t, n, fmt.Sprint("s", n%2), fmt.Sprint("i", n/2%3), time.Duration(at)))
				n++
			}
			for ; n < 240; now += minute / 2 {
				add(now)
			}
			service, err := store.ParseSelector(`{service="s0"}`)
			if err != nil {
				t.Fatal(err)
			}
			questions := []store.Query{
				{Selector: service, SampleType: "inuse_space"},
				{Selector: service},
				{SampleType: "alloc_space", By: []string{"instance"}},
				{},
			}
			for range 120 {
				switch k := r.IntN(40); {
				case k < 24: // time goes on
					for range 1 + r.IntN(6) {
						now += minute / 2
						add(now)
					}
				case k < 30: // late
					add(r.Int64N(now))
				case k < 36:
					pack(t, s)
				case k < 38:
					dropHour(t, s, format.HourOf(base+r.Int64N(now)))
				case k < 39:
					if _, err := s.DeleteService(t.Context(), "s1", false); err != nil {
						t.Fatal(err)
					}
				default:
					s.healer.heals.Add(1)
				}
				length := []int64{60, 60, 60, 45, 90}[r.IntN(5)] * minute
				for _, q := range questions {
					q.From, q.To = base+now-length, base+now+1
					merge(q)
					if r.IntN(4) == 0 { // the other side of a comparison
						q.From, q.To = q.From-length, q.From
						merge(q)
					}
				}
			}
			if moved := s.counts.moved.Load(); moved < 100 {
				t.Errorf("only %d sums were made of kept ones", moved)
			}
		})
	}
}
