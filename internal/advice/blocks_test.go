package advice

import (
	"go/build"
	"go/types"
	"testing"

	"github.com/hone-go/hone/internal/advice/code"
)

// TestBlockSize compares with what the runtime of this Go reports for allocations: see the sizes of
// blocks in heap profiles.
func TestBlockSize(t *testing.T) {
	p := &Package{GOROOT: build.Default.GOROOT, Package: &code.Package{Sizes: types.SizesFor("gc", "amd64")}}
	for _, c := range []struct {
		size         int64
		pointers     bool
		block, below int64
	}{
		{8, true, 8, 0},
		{15, false, 0, 0}, // shares a block
		{16, false, 16, 8},
		{40, true, 48, 32},
		{56, true, 64, 48},
		{512, true, 512, 480},
		{520, true, 576, 512}, // 528 with the header: 512 needs none
		{1024, true, 1152, 1016},
		{1024, false, 1024, 896},
		{1025, false, 1152, 1024},
		{32768, false, 32768, 28672},
		{32769, false, 40960, 32768},
		{40961, false, 49152, 40960},
	} {
		block, ok := p.BlockSize(c.size, c.pointers)
		below, okBelow := p.LargestBelow(c.size, c.pointers)
		if block != c.block || below != c.below || ok != (c.block > 0) || okBelow != (c.below > 0) {
			t.Errorf("%d bytes, pointers %v: a block of %d, below %d; want %d and %d", c.size, c.pointers, block, below, c.block, c.below)
		}
	}
	if old := readSizeClasses("var class_to_size = [_NumSizeClasses]uint16{0, 8, 16, 24}\n"); len(old) != 3 || old[2] != 24 {
		t.Errorf("sizes of an older runtime: %v", old)
	}
	if _, ok := (&Package{Package: &code.Package{}}).BlockSize(40, true); ok {
		t.Error("a size without the runtime's source")
	}
}
