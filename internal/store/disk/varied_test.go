package disk

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// varied returns a record whose stacks no other one has.
func varied(t testing.TB, n int, service string, at time.Duration) store.Record {
	random := rand.New(rand.NewPCG(uint64(n), 2))
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	functions := make([]uint32, 64)
	for i := range functions {
		functions[i] = b.Location(uint64(i), 0, profile.Line{Function: b.Function(string(rune('A'+i)), "", "", 0)})
	}
	for range 100 {
		stack := make([]uint32, 20)
		for i := range stack {
			stack[i] = functions[random.IntN(len(functions))]
		}
		b.Sample(stack, nil, 1)
	}
	r := record(t, n, service, "a", at)
	r.Profile = b.Profile()
	return r
}

// A service whose stacks are others in each profile takes a bounded amount of memory,
// forgotten or not, and costs the others nothing.
func TestVaried(t *testing.T) {
	const most = 1 << 20
	s := open(t, "d", Options{FS: vfs.NewMem(), CacheBytes: 1, MaxDictionary: most})
	defer closeStore(t, s)
	put(t, s, varied(t, 0, "api", 0))
	one, n := s.Memory(), 1 // of one profile
	err := error(nil)
	for ; err == nil && n < 1000; n++ {
		err = s.Put(t.Context(), []store.Record{varied(t, n, "api", 0)})
		if n%10 == 0 {
			s.dicts.trim(s.catalogue) // what is not in memory has its size yet
		}
	}
	if !errors.Is(err, store.ErrVaried) {
		t.Fatalf("%d profiles: %v", n, err)
	}
	if _, err := s.Merge(t.Context(), store.Query{}); err != nil {
		t.Error(err)
	}
	if got := s.Memory(); n < 5 || got > 2*most+one { // tables double as they grow
		t.Errorf("after %d profiles the dictionary takes %d bytes, and %d after one", n, got, one)
	}
	s.dicts.trim(s.catalogue)
	if err := s.Put(t.Context(), []store.Record{varied(t, n, "web", 0), varied(t, n+1, "api", 0)}); !errors.Is(err, store.ErrVaried) {
		t.Errorf("forgotten: %v", err)
	}
	put(t, s, varied(t, n, "web", 0), varied(t, n+2, "api", 14*24*time.Hour)) // the next epoch
}
