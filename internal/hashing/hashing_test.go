package hashing

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// An index finds the row of every key, whatever its hash, and no other.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, hashes := range []uint32{1, 3, 64, 1 << 10, 1 << 31} {
		var x Index
		hash := map[uint32]uint32{} // by row, which is its own key
		for n := range uint32(1000) {
			if _, ok := x.Find(r.Uint32N(hashes)+1<<31, func(uint32) bool { return true }); ok {
				t.Fatal("found a row with a hash that none has")
			}
			if n%100 == 0 {
				x.Reserve(r.IntN(200))
			}
			hash[n] = r.Uint32N(hashes)
			x.Add(hash[n], n)
		}
		for n, h := range hash {
			if row, ok := x.Find(h, func(row uint32) bool { return row == n }); row != n || !ok {
				t.Fatalf("of %d hashes: row %d is %d, %v", hashes, n, row, ok)
			}
			_, ok := x.Find(h, func(row uint32) bool {
				if hash[row] != h {
					t.Fatalf("of %d hashes: row %d with hash %#x was asked for instead of %#x", hashes, row, hash[row], h)
				}
				return false
			})
			if ok {
				t.Fatal("found a row that is not the one looked for")
			}
		}
		if n := x.Bytes(); n < 2*8*1000 || n > 8*8*1000 {
			t.Errorf("1000 rows take %d bytes", n)
		}
	}
}

// BenchmarkIndex finds rows by keys that stand in a column, beside a map that
// has the keys and one that has their hashes.
func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		r := rand.New(rand.NewPCG(1, 2))
		keys := make([][2]uint64, n)
		for i := range keys {
			keys[i] = [2]uint64{r.Uint64(), r.Uint64()}
		}
		asked := r.Perm(n)
		hash := func(k [2]uint64) uint32 { return uint32(Mix(k[0], k[1])) }
		b.Run(fmt.Sprintf("rows=%d/index", n), func(b *testing.B) {
			var x Index
			for row, k := range keys {
				x.Add(hash(k), uint32(row))
			}
			i := 0
			for b.Loop() {
				k := keys[asked[i]]
				_, found := x.Find(hash(k), func(row uint32) bool { return keys[row] == k })
				if i++; i == n {
					i = 0
				}
				if !found {
					b.Fatal("not found")
				}
			}
			b.ReportMetric(float64(x.Bytes())/float64(n), "bytes/row")
		})
		b.Run(fmt.Sprintf("rows=%d/map of hashes", n), func(b *testing.B) {
			m := map[uint32]uint32{}
			for row, k := range keys {
				m[hash(k)] = uint32(row)
			}
			i := 0
			for b.Loop() {
				k := keys[asked[i]]
				row, found := m[hash(k)]
				found = found && (keys[row] == k || n > 1000) // among a million, some hashes are equal
				if i++; i == n {
					i = 0
				}
				if !found {
					b.Fatal("not found")
				}
			}
		})
		b.Run(fmt.Sprintf("rows=%d/map of keys", n), func(b *testing.B) {
			m := map[[2]uint64]uint32{}
			for row, k := range keys {
				m[k] = uint32(row)
			}
			i := 0
			for b.Loop() {
				_, found := m[keys[asked[i]]]
				if i++; i == n {
					i = 0
				}
				if !found {
					b.Fatal("not found")
				}
			}
		})
	}
}
