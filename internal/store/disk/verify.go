package disk

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// Verify reads all of the store in a directory, which must not be open, and
// calls report for each thing that is wrong: bytes that don't match their
// checksum, references to nothing, sums that are not those of their parts. It
// changes nothing. fsys is nil for the operating system's. The error is of a
// directory that can't be read at all.
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

// checkProfile tells what is wrong with a profile of a service and an epoch, "" if nothing is.
func checkProfile(d *format.Dictionary, service string, start, epoch int64, h *format.Head, totals []int64, s *format.Samples) string {
	if int(h.Series) >= len(d.Series) || int(h.Schema) >= len(d.Schemas) {
		return fmt.Sprintf("profile %d is of a series or schema that is not in the dictionary", h.Seq)
	}
	if own := d.Series[h.Series].Labels.Get(store.LabelService); own != service || store.Window(h.Time, epoch) != start {
		return fmt.Sprintf("profile %d, of service %q, is in the wrong partition", h.Seq, own)
	}
	if len(d.Schemas[h.Schema].Types) != int(h.Types) || d.Schemas[h.Schema].Measures != d.Series[h.Series].Measures {
		return fmt.Sprintf("profile %d has a schema that doesn't fit its series", h.Seq)
	}
	for t, want := range totals {
		sum := int64(0)
		for _, v := range s.Values[t] {
			sum += v
		}
		if sum != want {
			return fmt.Sprintf("the values of profile %d add up to %d of %s, not %d", h.Seq, sum, d.Schemas[h.Schema].Types[t].Type, want)
		}
	}
	return ""
}
