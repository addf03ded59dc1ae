package disk

import (
	"github.com/hone-go/hone/internal/store/disk/format"
)

const (
	// maxBlockSamples limits the samples in a block, and so the memory for packing and
	// reading it. A block of a single profile may have more.
	maxBlockSamples = 1 << 17
	// maxBlockProfiles limits the profiles in a block.
	maxBlockProfiles = 1 << 12
)

// A wantedRollup is the right content of a roll-up.
type wantedRollup struct {
	head    format.Rollup
	sums    *format.Sums
	left    []format.Samples // not in sums yet
	samples int              // of those
}

// maxUnsummed is the number of samples that are collected before they are summed. Adding to a
// sum costs as much as the sum is large, however little is added.
const maxUnsummed = maxBlockSamples

// maxLeft limits the collected samples of all roll-ups together, to save memory.
const maxLeft = 32 * maxUnsummed

func (w *wantedRollup) add(s *format.Samples, types int, d *format.Dictionary) {
	w.left = append(w.left, *s)
	if w.samples += len(s.Sites); w.samples >= maxUnsummed || len(w.left) >= maxBlockProfiles {
		w.sum(types, d)
	}
}

// sum adds the collected samples to the sums.
func (w *wantedRollup) sum(types int, d *format.Dictionary) {
	if len(w.left) == 0 {
		return
	}
	k := format.Packer{Profiles: w.left}
	w.sums = w.sums.Merge(k.Block(types, d.Sites()).Sums())
	w.left, w.samples = nil, 0
}

// wantRollups adds a profile to the roll-ups that should have it, by their keys.
func wantRollups(want map[string]*wantedRollup, partition uint32, d *format.Dictionary, h format.Hour, o *format.Head, totals []int64, s *format.Samples) {
	fleet := d.Series[o.Series].Fleet
	for level, owner := range [format.NumLevels]uint32{format.LevelFleetHour: fleet, format.LevelFleetDay: fleet, format.LevelSeriesDay: o.Series} {
		key := string(format.RollupKey(format.KindRollup, partition, uint8(level), format.WindowOf(uint8(level), h.Start()), owner))
		if want[key] == nil {
			want[key] = &wantedRollup{sums: &format.Sums{}}
		}
		want[key].head.AddHead(o, totals)
		want[key].add(s, len(totals), d)
	}
}
