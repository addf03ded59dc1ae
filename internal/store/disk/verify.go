package disk

import (
	"context"

	"github.com/cockroachdb/pebble/v2/vfs"
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
