package disk

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
)

// DefaultOptions returns the options that hold where zeros stand.
func DefaultOptions() Options {
	var o Options
	o.fill()
	return o
}

// Options configure a store. The zero value keeps everything for ever.
type Options struct {
	// Retention is how long profiles are kept, to the hour; 0 is for ever.
	Retention time.Duration
	// MaxBytes bounds what the store takes on the disk: the oldest hours go
	// first. 0 is no bound.
	MaxBytes int64
	// MinFree is the room on the disk, in bytes, that Put leaves free; it fails
	// with store.ErrFull then. 0 is 64 MiB.
	MinFree int64
	// CacheBytes is how much memory dictionaries and decoded values may take
	// between calls; 0 is 48 MiB.
	CacheBytes int64
	// MaxDictionary bounds the memory of a partition's dictionary, which has the stacks
	// and names of one service in one epoch: Put fails with store.ErrVaried when it has
	// grown beyond that. 0 is 160 MiB, some four million different frames of stacks.
	MaxDictionary int64
	// Epoch is how long the partitions are that a new store is divided into; 0
	// is a week. A store that is there keeps its own.
	Epoch time.Duration
	// InstanceLabels are the names of labels that tell the instances of a
	// service apart. Queries that don't ask for them read one roll-up for all
	// instances. nil are instance, pod, host, hostname and ip.
	InstanceLabels []string
	// PackAfter is how long nothing has to come for an hour that is over before
	// its profiles are packed, and six times as long for one that isn't; 0 is 10
	// seconds. Negative is never, except for [Store.Pack].
	PackAfter time.Duration
	// Recover makes way for a store that can't be opened as it is, or whose log has
	// a gap: its files are moved aside, and what can be read of them comes back
	// while the store is in use. Without, Open fails with what to do.
	Recover bool

	Log *slog.Logger     // nil discards
	Now func() time.Time // nil is time.Now
	FS  vfs.FS           // nil is the operating system's
}

func (o *Options) fill() {
	o.MinFree = cmp.Or(o.MinFree, 64<<20)
	o.CacheBytes = cmp.Or(o.CacheBytes, 48<<20)
	o.MaxDictionary = cmp.Or(o.MaxDictionary, 160<<20)
	o.Epoch = cmp.Or(o.Epoch, 7*24*time.Hour)
	o.PackAfter = cmp.Or(o.PackAfter, 10*time.Second)
	if o.InstanceLabels == nil {
		o.InstanceLabels = []string{store.LabelInstance, "pod", "host", "hostname", "ip"}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
}

// oldest is the time before which profiles have expired.
func (s *Store) oldest() int64 {
	if s.o.Retention <= 0 {
		return -1 << 63
	}
	return s.o.Now().Add(-s.o.Retention).UnixNano()
}
