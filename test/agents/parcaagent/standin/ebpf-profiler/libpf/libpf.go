// Package libpf has the names of the eBPF profiler's package of that name which
// the reporter of Parca's agent uses. They do what the reporter needs of them.
package libpf

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"
	"unique"
)

type (
	// Void is nothing.
	Void struct{}
	// PID is the number of a process or of a thread.
	PID uint32
	// UnixTime64 is ns since 1970 UTC.
	UnixTime64 uint64
	// AddressOrLineno is an address in a file where frames are native.
	AddressOrLineno uint64
	// Origin is what made a trace be taken.
	Origin int
)

// Hash32 returns a hash.
func (p PID) Hash32() uint32 { return uint32(p) * 0x9e3779b1 }

// AddJitter returns about a duration.
func AddJitter(d time.Duration, share float64) time.Duration {
	return time.Duration(float64(d) * (1 + share*(2*rand.Float64()-1)))
}

// String is an interned string; its zero value is "".
type String struct{ handle unique.Handle[string] }

// Intern returns a String.
func Intern(s string) String {
	if s == "" {
		return String{}
	}
	return String{unique.Make(s)}
}

// String returns the string.
func (s String) String() string {
	if s == (String{}) {
		return ""
	}
	return s.handle.Value()
}

// A FileID tells files apart.
type FileID struct{ hi, lo uint64 }

// NewFileID returns a FileID.
func NewFileID(hi, lo uint64) FileID { return FileID{hi, lo} }

// FileIDFromExecutableFile returns the FileID of a file, by how it begins.
func FileIDFromExecutableFile(name string) (FileID, error) {
	f, err := os.Open(name)
	if err != nil {
		return FileID{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.CopyN(h, f, 4096); err != nil {
		return FileID{}, err
	}
	sum := h.Sum(nil)
	return FileID{binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])}, nil
}

// Hash32 returns a hash.
func (f FileID) Hash32() uint32 { return uint32(f.hi) }

// StringNoQuotes returns 32 hexadecimal digits.
func (f FileID) StringNoQuotes() string { return fmt.Sprintf("%016x%016x", f.hi, f.lo) }

// A TraceHash tells traces apart.
type TraceHash struct{ hi, lo uint64 }

// NewTraceHash returns a TraceHash.
func NewTraceHash(hi, lo uint64) TraceHash { return TraceHash{hi, lo} }

// TraceHashFromBytes returns the TraceHash of 16 bytes.
func TraceHashFromBytes(b []byte) (TraceHash, error) {
	if len(b) != 16 {
		return TraceHash{}, errors.New("a trace hash has 16 bytes")
	}
	return TraceHash{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, nil
}

// Hash32 returns a hash.
func (h TraceHash) Hash32() uint32 { return uint32(h.hi) }

// PutBytes16 writes the hash's bytes.
func (h TraceHash) PutBytes16(b *[16]byte) {
	binary.BigEndian.PutUint64(b[:8], h.hi)
	binary.BigEndian.PutUint64(b[8:], h.lo)
}

// Bytes returns the hash's 16 bytes.
func (h TraceHash) Bytes() []byte {
	var b [16]byte
	h.PutBytes16(&b)
	return b[:]
}
