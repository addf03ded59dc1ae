package disk

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// errRepair is added to errors of stores that can't be opened as they are.
var errRepair = errors.New("run hone store repair to make a new store from what can be read")

// isDamage reports whether a read failed because stored data is damaged, and not for a passing
// reason.
func isDamage(err error) bool {
	switch {
	case err == nil, errors.Is(err, format.ErrVersion):
		return false
	case errors.Is(err, format.ErrDamaged), pebble.IsCorruptionError(err), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EIO),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // of tables that were cut
		return true
	}
	return false
}
