package disk

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// A partition has the profiles of a service that begin in the same epoch.
type partition struct {
	id               uint32
	format.Partition // dropped, problem and since are guarded by mu

	mu     sync.Mutex
	gone   bool // it was dropped, or set aside
	stored bool // its key is written
	// The dictionary, nil when it isn't in memory, and what adds to it, nil
	// unless something was added since.
	dict     *format.Dictionary
	in       *format.Interner
	index    *format.Dictionary // of a dictionary that was in memory and isn't; see Dictionary.Index
	written  format.Lengths     // how much of the dictionary is stored
	pieces   uint32             // number of its next piece
	small    []piece            // the last pieces, which are small
	seq      uint64             // of the last profile
	hours    []*hourData
	lastUsed time.Time
	memory   int64        // bytes that dict and in take, as far as dictionaries.bytes counts them
	size     atomic.Int64 // the most that they took
}

// A freshRecord is what is kept in memory of a record in a batch.
type freshRecord struct {
	head   format.Head
	totals []int64 // of its values, by sample type
	bytes  int     // size of its samples
}

// An addition is what a batch adds to a partition.
type addition struct {
	fresh []freshRecord // the writer's
	seq   uint64        // of the last of them
	grown bool          // the batch has a piece of the dictionary
}

// piece is a stored piece of a dictionary.
type piece struct {
	number uint32
	from   format.Lengths // what the pieces before it have
}

// hourData is an hour of a partition.
type hourData struct {
	hour   format.Hour
	born   uint64 // the partition's seq at that time; an hour that was dropped and comes again numbers its blocks from 0 again
	packed format.Summary
	fresh  format.Heads // not packed, by rising seq
	bytes  int64        // size of the samples of those
	last   time.Time
	heals  uint64 // how often profiles of it were found to be lost
}

// version returns a number that changes whenever the packed profiles of the hour change.
func (h *hourData) version() uint64 { return packedVersion(&h.packed, h.heals) }

// profiles returns the number of profiles in the hour.
func (h *hourData) profiles() int64 { return int64(h.packed.Profiles) + int64(len(h.fresh.List)) }

// hour returns an hour of the partition. If there is none, it adds one if add is set, or else
// returns nil.
func (p *partition) hour(h format.Hour, add bool) *hourData {
	i, ok := slices.BinarySearchFunc(p.hours, h, func(d *hourData, h format.Hour) int { return int(d.hour) - int(h) })
	if !ok {
		if !add {
			return nil
		}
		p.hours = slices.Insert(p.hours, i, &hourData{hour: h, born: p.seq})
	}
	return p.hours[i]
}

// keep adds to the partition, which is locked, what the log has from now on. It reports whether
// an hour has too many fresh profiles.
func (p *partition) keep(a *addition, now time.Time) (busy bool) {
	if a.grown {
		p.small = append(p.small, piece{p.pieces, p.written})
		p.written = p.dict.Lengths()
		p.pieces++
	}
	for _, r := range a.fresh {
		h := p.hour(format.HourOf(r.head.Time), true)
		h.fresh.Add(r.head, r.totals)
		h.bytes += int64(r.bytes)
		h.last = now
		busy = busy || h.tooMuch()
	}
	p.stored, p.seq = true, a.seq
	p.lastUsed = time.Now()
	return busy
}

// covers reports whether profiles of an hour belong in the partition. epoch is the length of
// epochs in ns.
func (p *partition) covers(h format.Hour, epoch int64) bool {
	since := h.Start() - p.Epoch
	return 0 <= since && since < epoch
}

// packedVersion returns a number that changes whenever packed profiles are added to an hour, or
// are lost.
func packedVersion(packed *format.Summary, heals uint64) uint64 { return packed.LastSeq ^ heals<<48 }

// A partitionName identifies a partition.
type partitionName struct {
	epoch   int64
	service string
}

// A damagedPartition is the error of a partition with unreadable data.
type damagedPartition struct {
	p   *partition
	err error
}

func (d *damagedPartition) Error() string { return d.err.Error() }
func (d *damagedPartition) Unwrap() error { return d.err }

// damagedIn adds the partition to an error if the error is damage.
func damagedIn(p *partition, err error) error {
	var known *damagedPartition
	if !isDamage(err) || errors.As(err, &known) {
		return err
	}
	return &damagedPartition{p, err}
}

const (
	// maxFreshBytes and maxFreshProfiles bound what is left unpacked in an hour
	// that profiles keep coming for; see tooMuch.
	maxFreshBytes    = 8 << 20
	maxFreshProfiles = 16 << 10
	// minFreshBytes is what is left unpacked at least while they do.
	minFreshBytes = 2 << 20
)

// tooMuch reports whether an hour has too many fresh profiles. Queries read them one by one, so
// there should be few. But packing rewrites the heads of all packed profiles, so it pays only
// if the fresh ones are at least half as many. Packed samples take about a twelfth of the
// space, hence the factor 6.
func (h *hourData) tooMuch() bool {
	return h.bytes > min(max(6*int64(h.packed.Bytes), minFreshBytes), maxFreshBytes) || len(h.fresh.List) > maxFreshProfiles
}

// ripe reports whether an hour should be packed now: it has too many fresh profiles, or no
// profile has arrived for a while. For an hour that isn't over, the while is longer.
func (h *hourData) ripe(o *Options) bool {
	if h.tooMuch() {
		return true
	}
	now := o.Now()
	quiet := o.PackAfter
	if now.UnixNano() < h.hour.End() {
		quiet *= 6
	}
	return now.Sub(h.last) >= quiet || now.Before(h.last)
}
