package disk

import (
	"context"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// Verify reads the whole store in a directory, which must not be open, and calls
// report for each problem: bytes that don't match their checksum, dangling references,
// wrong sums. It changes nothing. A nil fsys is the operating system's. It returns an
// error only if the directory can't be read at all.
func Verify(ctx context.Context, dir string, fsys vfs.FS, report func(problem string)) (Verified, error) {
	a, err := newAudit(ctx, dir, fsys, report)
	if err != nil {
		return Verified{}, err
	}
	defer a.close()
	for _, p := range a.parts {
		if err := a.partition(p, nil); err != nil {
			return a.result(), err
		}
		if a.partBad == 0 {
			if err := a.rollups(p); err != nil {
				return a.result(), err
			}
		}
	}
	return a.result(), ctx.Err()
}

// rollups compares the roll-ups of the last partition with the sums of its profiles.
func (a *audit) rollups(p *partition) error {
	hours := make([]format.Hour, 0, len(a.hours))
	for h := range a.hours {
		hours = append(hours, h)
	}
	slices.Sort(hours)
	for len(hours) > 0 {
		// One day after the other.
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
				a.bad("%s does not match its profiles: it counts %d, and there are %d", format.KeyName([]byte(key)), head.Profiles, w.head.Profiles)
			case !sums.Equal(w.sums):
				a.bad("the sums in %s differ from those of its profiles", format.KeyName([]byte(key)))
			}
		}
	}
	return a.ctx.Err()
}
