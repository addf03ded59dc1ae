// Package disk is the store that hone serve keeps profiles in: a directory on a
// local disk.
//
// Durability, atomicity and checksums are those of Pebble, an ordered key-value
// store. What this package adds is the encoding. Profiles of a service and an
// epoch (a week) are a partition, which has a dictionary of all that profiles
// repeat: strings, functions, locations, stacks. A profile is then a list of
// numbers of stacks with their values. An hour after it came it is packed into a
// block with its neighbours and added to roll-ups, the sums of an hour and of a
// day; queries read those, and single profiles at the edges alone.
//
// The format is drawn in doc/format.md, the reasons for it are in
// doc/design/0006-store.md.
package disk

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store"
)

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

	Log *slog.Logger     // nil discards
	Now func() time.Time // nil is time.Now
	FS  vfs.FS           // nil is the operating system's
}

func (o *Options) fill() {
	o.MinFree = cmp.Or(o.MinFree, 64<<20)
	o.CacheBytes = cmp.Or(o.CacheBytes, 48<<20)
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

// A Store is an open store. It implements [store.Store].
type Store struct {
	dir   string
	o     Options
	epoch int64 // ns
	db    *pebble.DB
	lock  *pebble.Lock
	room  *room
	cache *cache
	ids   *ids

	mu    sync.Mutex // guards what follows
	parts map[partitionName]*partition
	next  uint32 // number of the next partition

	dictBytes atomic.Int64
	garbage   atomic.Int64 // bytes deleted that may still take room
	unsure    atomic.Bool  // something may be in the store and not be durable
	busy      atomic.Bool  // the background job is at work
	counts    counts

	closing   context.Context // done when Close begins
	startEnd  context.CancelFunc
	calls     sync.WaitGroup
	callsMu   sync.RWMutex // guards closed against calls
	closed    bool
	wake      chan struct{} // wakes the background job up
	jobs      sync.Mutex    // held by what rewrites data; guards dead
	dead      []keyRange    // what was dropped and may still take room
	backdrops sync.WaitGroup
}

// partitionName is what partitions are found by.
type partitionName struct {
	epoch   int64
	service string
}

// The value of the key 'F' is
//
//	1            version of the format: of keys, and of what has no version of its own
//	epoch        varint: length of the epochs, ns
//	day          varint: length of the longest roll-ups, ns
const formatVersion = 1

// Open opens the store in a directory, which is made if it is not there. One
// process at a time can have it open.
func Open(dir string, o Options) (*Store, error) {
	o.fill()
	if o.Epoch < 24*time.Hour || o.Epoch%(24*time.Hour) != 0 {
		return nil, fmt.Errorf("an epoch of %v is no number of days", o.Epoch)
	}
	s := &Store{dir: dir, o: o, cache: newCache(o.CacheBytes / 2), parts: map[partitionName]*partition{}, wake: make(chan struct{}, 1)}
	s.ids = newIDs(s, o.CacheBytes/6)
	s.closing, s.startEnd = context.WithCancel(context.Background())
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	s.backdrops.Add(1)
	go s.background()
	return s, nil
}

func (s *Store) open() error {
	if err := s.o.FS.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	lock, err := lockDir(s.o.FS, s.dir)
	if err != nil {
		return err
	}
	s.room = newRoom(s.closing, s.o.FS, s.dir, s.o.MinFree)
	db, err := pebble.Open(s.dir, pebbleOptions(s.room, lock, s.o.Log))
	if err != nil {
		lock.Close()
		return err
	}
	s.db, s.lock = db, lock
	if err := s.readIndex(); err != nil {
		db.Close()
		lock.Close()
		return err
	}
	return nil
}

// lockDir takes the lock of a directory.
func lockDir(f vfs.FS, dir string) (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(dir, f)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("another hone serves from it, or something else has it open (%w)", err)
	}
	return lock, nil
}

// pebbleOptions are how Pebble is used.
func pebbleOptions(f vfs.FS, lock *pebble.Lock, log *slog.Logger) *pebble.Options {
	o := &pebble.Options{
		FS: f, Lock: lock,
		FormatMajorVersion: pebble.FormatValueSeparation,
		Logger:             pebbleLog{log},
		CacheSize:          8 << 20,
		// Each of up to three logs of this size is kept to be written again.
		MemTableSize: 4 << 20,
		// Profiles that aren't packed yet are gone an hour later. Compacting
		// them on the way down is work for nothing.
		L0CompactionThreshold:       8,
		L0StopWritesThreshold:       64,
		MemTableStopWritesThreshold: 2,
		LBaseMaxBytes:               64 << 20,
		MaxOpenFiles:                500,
	}
	o.CompactionConcurrencyRange = func() (lower, upper int) { return 1, 1 }
	// Values are compressed already.
	o.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	for i := range o.Levels {
		o.Levels[i].BlockSize = 32 << 10
	}
	return o
}

// pebbleLog is where Pebble's messages go.
type pebbleLog struct{ log *slog.Logger }

func (l pebbleLog) Infof(format string, args ...any) { l.log.Debug(fmt.Sprintf(format, args...)) }

func (l pebbleLog) Errorf(format string, args ...any) {
	l.log.Warn("the key-value store: " + fmt.Sprintf(format, args...))
}

// Fatalf is called where Pebble can't go on.
func (l pebbleLog) Fatalf(format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	l.log.Error("the key-value store can't go on: " + msg)
	panic("the key-value store can't go on: " + msg)
}

// readIndex reads what is always in memory: the partitions, the summaries of
// their hours, and the heads of profiles that aren't packed.
func (s *Store) readIndex() error {
	value, closer, err := s.db.Get([]byte{keyFormat})
	switch {
	case errors.Is(err, pebble.ErrNotFound):
		b := binary.AppendUvarint([]byte{formatVersion}, uint64(s.o.Epoch))
		b = binary.AppendUvarint(b, uint64(24*time.Hour))
		if err := s.db.Set([]byte{keyFormat}, b, pebble.Sync); err != nil {
			return err
		}
		s.epoch = int64(s.o.Epoch)
	case err != nil:
		return err
	default:
		r := reader{b: value}
		if len(value) > 0 && value[0] != formatVersion {
			err = fmt.Errorf("its format is version %d, and this hone knows version %d: use the hone that wrote it, or a newer one", value[0], formatVersion)
		} else {
			r.version(formatVersion)
			s.epoch = int64(r.uvarint())
			r.uvarint()
			err = inKey([]byte{keyFormat}, r.end())
		}
		closer.Close()
		if err == nil && s.epoch <= 0 {
			err = fmt.Errorf("it says that epochs are %d ns long", s.epoch)
		}
		if err != nil {
			return err
		}
	}

	byID := map[uint32]*partition{}
	err = s.scanKind(keyPartition, 5, func(key, value []byte) error {
		p, err := readPartition(binary.BigEndian.Uint32(key[1:]), value)
		if err != nil {
			return err
		}
		byID[p.id] = p
		s.parts[partitionName{p.epoch, p.service}] = p
		s.next = max(s.next, p.id+1)
		return nil
	})
	if err != nil {
		return err
	}
	of := func(key []byte) (*partition, *hourData, error) {
		p := byID[binary.BigEndian.Uint32(key[1:])]
		if p == nil {
			return nil, nil, fmt.Errorf("there is no such partition")
		}
		return p, p.hour(hour(flip(int32(binary.BigEndian.Uint32(key[5:])))), true), nil
	}
	err = s.scanKind(keyHour, 9, func(key, value []byte) error {
		p, h, err := of(key)
		if err != nil {
			return err
		}
		h.packed, err = readSummary(value)
		p.seq = max(p.seq, h.packed.lastSeq)
		return err
	})
	if err != nil {
		return err
	}
	now := s.o.Now()
	return s.scanKind(keyHead, 17, func(key, value []byte) error {
		p, h, err := of(key)
		if err != nil {
			return err
		}
		seq := binary.BigEndian.Uint64(key[9:])
		p.seq = max(p.seq, seq)
		h.last = now
		h.bytes += 4 * int64(len(value)) // about; it only tells when to pack
		return h.fresh.readHead(seq, value)
	})
}

// scanKind is scan of all keys of a kind, which have a certain length.
func (s *Store) scanKind(kind byte, length int, f func(key, value []byte) error) error {
	return s.scan(s.db, []byte{kind}, []byte{kind + 1}, func(key, value []byte) error {
		if len(key) != length {
			return fmt.Errorf("a key is damaged: %q has %d bytes, not %d", key, len(key), length)
		}
		if err := f(key, value); err != nil {
			if errors.Is(err, errDamaged) {
				return err
			}
			return fmt.Errorf("%s: %w", keyName(key), err)
		}
		return nil
	})
}

// partitions returns all partitions, by epoch and service.
func (s *Store) partitions() []*partition {
	s.mu.Lock()
	ps := make([]*partition, 0, len(s.parts))
	for _, p := range s.parts {
		ps = append(ps, p)
	}
	s.mu.Unlock()
	slices.SortFunc(ps, func(a, b *partition) int {
		return cmp.Or(cmp.Compare(a.epoch, b.epoch), strings.Compare(a.service, b.service))
	})
	return ps
}

// partitionOf returns the partition of a service and a time, making it.
func (s *Store) partitionOf(name partitionName) *partition {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.parts[name]
	if p == nil {
		instance := slices.Clone(s.o.InstanceLabels)
		slices.Sort(instance)
		p = &partition{id: s.next, epoch: name.epoch, service: name.service, instance: instance, dropped: minHour}
		s.next++
		s.parts[name] = p
	}
	return p
}

// begin starts a call. Unless it fails, s.calls.Done is to be called.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.callsMu.RLock()
	defer s.callsMu.RUnlock()
	if s.closed {
		return store.ErrClosed
	}
	s.calls.Add(1)
	return nil
}

// Close waits for calls under way, ends background work and releases the
// directory.
func (s *Store) Close() error {
	s.callsMu.Lock()
	if s.closed {
		s.callsMu.Unlock()
		return store.ErrClosed
	}
	s.closed = true
	s.callsMu.Unlock()
	s.startEnd()
	s.calls.Wait()
	s.backdrops.Wait()
	// With its log broken, Pebble can close but not flush.
	flushed := s.room.check() == nil && !s.room.gaveUp.Load() && s.db.Flush() == nil
	err := s.db.Close()
	if flushed && err == nil {
		s.removeLogs()
	}
	if e := s.lock.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("closing the store in %s: %w", s.dir, err)
	}
	return nil
}

// removeLogs removes the logs that were kept to be written again. What is in
// them was flushed; only the last one is of use to Pebble.
func (s *Store) removeLogs() {
	names, err := s.o.FS.List(s.dir)
	if err != nil {
		return
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".log") })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	for _, n := range names[:max(len(names)-1, 0)] {
		s.o.FS.Remove(s.o.FS.PathJoin(s.dir, n))
	}
}

// counts are what a store counts while it is open.
type counts struct {
	put, duplicates, expired, full atomic.Int64
	loads                          atomic.Int64
	packed, blocks, dropped        atomic.Int64
}
