package disk

import (
	"slices"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// wantedRollup is what a roll-up should be.
type wantedRollup struct {
	head    format.Rollup
	sums    *format.Sums
	left    []format.Samples // not in sums yet
	samples int              // of those
}

// maxUnsummed is how many samples are summed at once: adding to sums costs as much as
// there is in them already, however little is added.
const maxUnsummed = maxBlockSamples

// maxLeft bounds those of all roll-ups together, for their memory.
const maxLeft = 32 * maxUnsummed

func (w *wantedRollup) add(s *format.Samples, types int, d *format.Dictionary) {
	w.left = append(w.left, *s)
	if w.samples += len(s.Sites); w.samples >= maxUnsummed || len(w.left) >= maxBlockProfiles {
		w.sum(types, d)
	}
}

// sum adds up what isn't yet.
func (w *wantedRollup) sum(types int, d *format.Dictionary) {
	if len(w.left) == 0 {
		return
	}
	k := format.Packer{Profiles: w.left}
	w.sums = w.sums.Merge(k.Block(types, d.Sites()).Sums())
	w.left, w.samples = nil, 0
}

// wantRollups adds a profile to the roll-ups that it is to be in, by their keys.
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

// rollups compares the roll-ups of the partition that was read last with what
// they are of.
func (a *audit) rollups(p *partition) error {
	hours := make([]format.Hour, 0, len(a.hours))
	for h := range a.hours {
		hours = append(hours, h)
	}
	slices.Sort(hours)
	for len(hours) > 0 {
		// A day at a time.
		day := format.WindowOf(format.LevelSeriesDay, hours[0].Start())
		want := map[string]*wantedRollup{}
		left := 0 // samples that may not be summed yet
		for len(hours) > 0 && format.WindowOf(format.LevelSeriesDay, hours[0].Start()) == day {
			h := hours[0]
			hours = hours[1:]
			hs := a.hours[h]
			err := a.blocks(p, h, hs, func(_ []byte, o *format.Head, totals []int64, s *format.Samples) error {
				wantRollups(want, p.id, a.dict, h, o, totals, s)
				if left += len(s.Sites); left > maxLeft {
					for _, w := range want {
						w.sum(len(w.head.Totals), a.dict)
					}
					left = 0
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		for key, w := range want {
			if level := key[5]; level != format.LevelFleetHour && day*24 < int32(p.Dropped) {
				continue // it is not used
			}
			w.sum(len(w.head.Totals), a.dict)
			head, _, err := get(a.files, []byte(key), format.ReadRollup)
			if err != nil {
				a.bad("%v", err)
				continue
			}
			sumsKey := append([]byte{format.KindSums}, key[1:]...)
			sums, found, err := get(a.files, sumsKey, func(value []byte) (*format.Sums, error) {
				return format.ReadSums(value, len(w.head.Totals), -1, a.dict.Sites())
			})
			switch {
			case err != nil:
				a.bad("%v", err)
			case head == nil || !found:
				a.bad("%s is missing", format.KeyName([]byte(key)))
			case head.Profiles != w.head.Profiles || head.Version != w.head.Version || head.Duration != w.head.Duration ||
				head.First != w.head.First || head.Last != w.head.Last || !slices.Equal(head.Totals, w.head.Totals) || !slices.Equal(head.Schemas, w.head.Schemas):
				a.bad("%s is not of its profiles: it has %d, and there are %d", format.KeyName([]byte(key)), head.Profiles, w.head.Profiles)
			case !sums.Equal(w.sums):
				a.bad("%s has other sums than its profiles", format.KeyName([]byte(key)))
			}
		}
	}
	return a.ctx.Err()
}
