package disk

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// sources are what a sum is made of.
type sources struct {
	fresh   []freshSource // by hour, then seq, unless profiles are looked at one by one
	blocks  []blockSource
	rollups []cacheKey // of their samples
}

// A freshSource is a fresh profile.
type freshSource struct {
	hour format.Hour
	seq  uint64
}

// A blockSource is some profiles in a block.
type blockSource struct {
	blockID
	rows []uint64 // a bit for each profile
}

// A blockID identifies a block among all past and present blocks of a partition.
type blockID struct {
	hour  format.Hour
	born  uint64 // see hourData
	block uint32
}

// profiles returns the number of single profiles.
func (s *sources) profiles() int {
	n := len(s.fresh)
	for i := range s.blocks {
		for _, word := range s.blocks[i].rows {
			n += bits.OnesCount64(word)
		}
	}
	return n
}

// without returns the single profiles that are in s but not in o.
func (s *sources) without(o *sources) (out sources) {
	k := 0
	for _, f := range s.fresh {
		for k < len(o.fresh) && o.fresh[k].compare(f) < 0 {
			k++
		}
		if k == len(o.fresh) || o.fresh[k] != f {
			out.fresh = append(out.fresh, f)
		}
	}
	others := make(map[blockID][]uint64, len(o.blocks))
	for _, b := range o.blocks {
		others[b.blockID] = b.rows
	}
	for _, b := range s.blocks {
		rows, some := slices.Clone(b.rows), uint64(0)
		for i, word := range others[b.blockID] {
			if i < len(rows) {
				rows[i] &^= word
			}
		}
		for _, word := range rows {
			some |= word
		}
		if some != 0 {
			out.blocks = append(out.blocks, blockSource{b.blockID, rows})
		}
	}
	return out
}

func (f freshSource) compare(o freshSource) int {
	return cmp.Or(cmp.Compare(f.hour, o.hour), cmp.Compare(f.seq, o.seq))
}
