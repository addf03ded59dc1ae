package profile

import (
	"errors"
	"fmt"
)

// A SyntaxError tells where the bytes of a profile stop making sense.
type SyntaxError struct {
	Offset int64 // in the decompressed bytes; -1 if the problem has no single place
	Msg    string
}

func (e *SyntaxError) Error() string {
	if e.Offset < 0 {
		return "malformed profile: " + e.Msg
	}
	return fmt.Sprintf("malformed profile at byte %d: %s", e.Offset, e.Msg)
}

// errEmpty is returned for input without a byte.
var errEmpty = errors.New("empty file")

// badRecord is a problem of the n-th record (0-based) of a field, found after
// all bytes were read; whoever can read them again turns it into an offset.
type badRecord struct {
	field uint64
	n     int
	msg   string
}

func (e *badRecord) Error() string { return "malformed profile: " + e.msg }
