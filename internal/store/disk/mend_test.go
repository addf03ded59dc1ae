package disk

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// One wrong bit is found wherever it is, and more than one are not taken for one.
func TestMend(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []int{1, 2, 100, 3000}
	if testing.Short() {
		sizes[3] = 300
	}
	for _, size := range sizes {
		want := make([]byte, size+4)
		for i := range size {
			want[i] = byte(r.Uint32())
		}
		binary.LittleEndian.PutUint32(want[size:], crc(want[:size]))
		for bit := range 8 * len(want) {
			got := bytes.Clone(want)
			got[bit/8] ^= 1 << (bit % 8)
			whole, mended := mend(got[:size], binary.LittleEndian.Uint32(got[size:]))
			if !whole || !mended || !bytes.Equal(got[:size], want[:size]) {
				t.Fatalf("bit %d of %d bytes: %v, %v", bit, size, whole, mended)
			}
			// A second one.
			other := r.IntN(8 * size)
			if other == bit {
				continue
			}
			got = bytes.Clone(want)
			got[bit/8] ^= 1 << (bit % 8)
			got[other/8] ^= 1 << (other % 8)
			damaged := bytes.Clone(got)
			if whole, _ := mend(got[:size], binary.LittleEndian.Uint32(got[size:])); bit < 8*size && (whole || !bytes.Equal(got, damaged)) {
				t.Fatalf("bits %d and %d of %d bytes: they are taken for one", bit, other, size)
			}
		}
		if whole, mended := mend(want[:size], binary.LittleEndian.Uint32(want[size:])); !whole || mended {
			t.Errorf("%d good bytes: %v, %v", size, whole, mended)
		}
	}
}
