package disk

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
)

// DefaultOptions returns the options with their default values.
func DefaultOptions() Options {
	var o Options
	o.fill()
	return o
}

// Options configure a store. The zero value keeps everything forever.
type Options struct {
	// Retention is how long profiles are kept, to the hour; 0 is forever.
	Retention time.Duration
	// MaxBytes limits the size of the store on disk: the oldest hours are
	// dropped first. 0 is no limit.
	MaxBytes int64
	// MinFree is the disk space, in bytes, that Put leaves free. With less, Put
	// fails with store.ErrFull. 0 is 64 MiB.
	MinFree int64
	// CacheBytes is how much memory dictionaries and decoded values may take
	// between calls; 0 is 48 MiB.
	CacheBytes int64
	// MaxDictionary limits the memory of a partition's dictionary, which has the stacks
	// and names of one service in one epoch. Beyond it, Put fails with store.ErrVaried.
	// 0 is 160 MiB, about four million different frames of stacks.
	MaxDictionary int64
	// Epoch is the length of the partitions of a new store; 0 is a week. An
	// existing store keeps its own.
	Epoch time.Duration
	// InstanceLabels are the names of the labels that distinguish the instances
	// of a service. Queries that don't use them read one roll-up for all
	// instances. nil means instance, pod, host, hostname and ip.
	InstanceLabels []string
	// PackAfter is how long a past hour must be quiet before its profiles are
	// packed. The current hour must be quiet six times as long. 0 is 10 seconds.
	// Negative is never, except for [Store.Pack].
	PackAfter time.Duration
	// Recover opens a new store in place of one that can't be opened, or whose log
	// has a gap. The old files are moved aside, and what can be read of them is
	// recovered while the new store is in use. Without Recover, Open fails and says
	// what to do.
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
		o.FS = userFS
	}
}

// oldest returns the time before which profiles have expired, in ns since 1970.
func (o *Options) oldest() int64 {
	if o.Retention <= 0 {
		return -1 << 63
	}
	return o.Now().Add(-o.Retention).UnixNano()
}
