package disk

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// When a block of a table is lost, only the profiles in it are lost. Healing removes them
// from the lists, summaries and roll-ups of the hours and days whose keys may be in the
// block. It rebuilds summaries and roll-ups from the remaining profiles, and rewrites what
// is still in memory: dictionaries and the heads of fresh profiles. Afterwards answers are
// exact for the profiles that are left, and the store is sound.
//
// A lost block can also bring back an older version of a key, or deleted keys. So healing
// doesn't trust what an hour says about itself: it reads the whole hour.

// A Loss describes profiles that were found to be lost.
type Loss struct {
	Service  string
	From, To time.Time // of their hours
	Profiles int64
	Since    time.Time // when it was found
}

// A healing removes lost profiles from one partition.
type healing struct {
	*kv
	dicts *dictionaries
	cache *cache
	epoch int64
	p     *partition
	lost  spans
	batch *pebble.Batch
	days  map[int32]bool // whose roll-ups are made again
	hours map[format.Hour]*healedHour
	// running is set where the store was in use before: all hours are known then, and what
	// was lost earlier was told.
	running bool
}

// A healedHour is what remains of an hour.
type healedHour struct {
	packed format.Summary
	heads  format.Heads // of what is packed
	fresh  format.Heads
	bytes  int64
	gone   int64 // profiles that are lost
}

// run removes the lost profiles from the partition, which is locked, and returns what was lost.
func (h *healing) run() (loss Loss, err error) {
	if err := h.plan(); err != nil {
		return loss, err
	}
	for _, d := range h.p.hours {
		if h.hours[d.hour] == nil {
			continue
		}
		if err := h.hour(d); err != nil {
			return loss, err
		}
	}
	for day := range h.days {
		if err := h.rollUp(day); err != nil {
			return loss, err
		}
	}
	if err := h.write(h.batch); err != nil {
		return loss, err
	}
	return h.install(), nil
}

// plan finds the hours and days in which something may be lost. It restores what all hours
// depend on.
func (h *healing) plan() error {
	p := h.p
	prefix := func(kind byte) []byte { return format.PartitionKey(kind, p.id) }
	if h.lost.hit(prefix(format.KindPartition)) {
		h.batch.Set(prefix(format.KindPartition), p.Partition.Append(nil), nil)
	}
	all := false
	if h.lost.hit(prefix(format.KindDictionary)) {
		if all = p.dict == nil; !all {
			none := format.NewDictionary(p.Instance).Lengths()
			h.batch.DeleteRange(prefix(format.KindDictionary), format.After(prefix(format.KindDictionary)), nil)
			h.batch.Set(format.DictionaryKey(p.id, 0), p.dict.AppendPiece(nil, none, p.dict.StringIDs()), nil)
			p.pieces, p.small, p.written = 1, nil, p.dict.Lengths()
		}
	}
	if err := h.dicts.load(p); err != nil {
		return err
	}
	// Hours may be known by what is left of them alone.
	for _, kind := range format.PerHour {
		if h.running || !h.lost.hit(prefix(format.KindSummary)) && !h.lost.hit(prefix(format.KindHead)) {
			break
		}
		for start := prefix(kind); start != nil; {
			key, err := h.first(start, format.After(prefix(kind)))
			if err != nil || key == nil {
				if err != nil {
					return err
				}
				break
			}
			p.hour(format.HourOfKey(key), true)
			start = format.After(format.HourKey(kind, p.id, format.HourOfKey(key)))
		}
	}
	for _, d := range p.hours {
		hit := all || slices.ContainsFunc(format.PerHour, func(kind byte) bool { return h.lost.hit(format.HourKey(kind, p.id, d.hour)) })
		day := format.WindowOf(format.LevelSeriesDay, d.hour.Start())
		if hit {
			h.hours[d.hour] = &healedHour{}
		}
		for level := range uint8(format.NumLevels) {
			for _, kind := range []byte{format.KindRollup, format.KindSums} {
				hit = hit || h.lost.hit(format.WindowKey(kind, p.id, level, format.WindowOf(level, d.hour.Start())))
			}
		}
		h.days[day] = h.days[day] || hit
	}
	maps.DeleteFunc(h.days, func(_ int32, hit bool) bool { return !hit })
	return nil
}

// first returns the first key from start to before end, nil if there is none.
func (h *healing) first(start, end []byte) (key []byte, err error) {
	it, err := h.db.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return nil, err
	}
	if it.First() {
		key = bytes.Clone(it.Key())
	}
	return key, it.Close()
}

// hour finds what remains of an hour, and writes that.
func (h *healing) hour(d *hourData) error {
	to, p := h.hours[d.hour], h.p
	key := format.HourKey(format.KindHeads, p.id, d.hour)
	var heads *format.Heads
	if v, ok := h.cache.get(cacheKey{string(key), d.version()}).(*format.Heads); ok {
		heads = v
	} else {
		v, found, err := get(h.db, key, format.ReadHeads)
		if err != nil && !errors.Is(err, format.ErrDamaged) {
			return err
		}
		if heads = v; err != nil || !found {
			heads = nil
		}
	}
	to.packed = format.Summary{Blocks: d.packed.Blocks, LastSeq: d.packed.LastSeq}
	blocks := map[uint32]bool{} // that are left
	known := int64(d.packed.Profiles)
	if heads != nil {
		known = max(known, int64(len(heads.List)))
		err := h.blocks(d.hour, heads, func(of []format.Head, size int, packed []format.Samples) {
			for i := range of {
				if int(of[i].Row) >= len(packed) || h.check(&of[i], heads.TotalsOf(&of[i]), &packed[of[i].Row]) != "" {
					return
				}
			}
			for i := range of {
				to.keep(&of[i], heads.TotalsOf(&of[i]))
			}
			to.packed.Bytes += uint64(size)
			blocks[of[0].Block-1] = true
		})
		if err != nil {
			return err
		}
		for i := range heads.List {
			to.packed.LastSeq = max(to.packed.LastSeq, heads.List[i].Seq)
		}
	}
	// Blocks that nothing tells of.
	prefix := format.HourKey(format.KindBlock, p.id, d.hour)
	orphans := int64(0)
	err := scanPrefix(h.db, prefix, func(key, value []byte) error {
		n := format.BlockOfKey(key)
		to.packed.Blocks = max(to.packed.Blocks, uint64(n)+1)
		if !blocks[n] {
			k, _ := format.BlockProfiles(value)
			orphans += int64(k)
			h.batch.Delete(bytes.Clone(key), nil)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if heads == nil {
		known = max(known, orphans)
	}
	to.gone = known - int64(len(to.heads.List))
	if err := h.fresh(d, to); err != nil {
		return err
	}
	to.packed.Profiles = uint64(len(to.heads.List))
	if to.packed.Profiles == 0 {
		h.batch.Delete(key, nil)
		h.batch.Delete(format.HourKey(format.KindSummary, p.id, d.hour), nil)
		return nil
	}
	h.batch.Set(key, to.heads.Append(nil), nil)
	h.batch.Set(format.HourKey(format.KindSummary, p.id, d.hour), to.packed.Append(nil), nil)
	return nil
}

// keep adds a packed profile to those that remain.
func (to *healedHour) keep(h *format.Head, totals []int64) {
	if len(to.heads.List) == 0 {
		to.packed.First, to.packed.Last = h.Time, h.Time
	}
	to.packed.First, to.packed.Last = min(to.packed.First, h.Time), max(to.packed.Last, h.Time)
	to.heads.Add(*h, totals)
}

// fresh finds the fresh profiles of an hour that remain.
func (h *healing) fresh(d *hourData, to *healedHour) error {
	packed := map[uint64]bool{}
	for i := range to.heads.List {
		packed[to.heads.List[i].Seq] = true
	}
	known := map[uint64]bool{}
	for i := range d.fresh.List {
		f := &d.fresh.List[i]
		known[f.Seq] = true
		key := format.SeqKey(format.KindSamples, h.p.id, d.hour, f.Seq)
		size := 0
		samples, found, err := get(h.db, key, func(value []byte) (*format.Samples, error) {
			s := new(format.Samples)
			size = len(value)
			return s, format.ReadSamples(s, value, int(f.Types), -1, h.p.dict.Sites())
		})
		if err != nil && !errors.Is(err, format.ErrDamaged) {
			return err
		}
		head := format.SeqKey(format.KindHead, h.p.id, d.hour, f.Seq)
		switch {
		case packed[f.Seq]: // what deleted it is lost
		case err == nil && found && h.check(f, d.fresh.TotalsOf(f), samples) == "":
			to.fresh.Add(*f, d.fresh.TotalsOf(f))
			to.bytes += int64(size)
			if h.lost.hit(head) {
				h.batch.Set(head, format.AppendHead(nil, f, d.fresh.TotalsOf(f)), nil)
			}
			continue
		default:
			to.gone++
		}
		h.batch.Delete(head, nil)
		h.batch.Delete(key, nil)
	}
	// Samples whose head is lost.
	return scanPrefix(h.db, format.HourKey(format.KindSamples, h.p.id, d.hour), func(key, _ []byte) error {
		if seq := format.SeqOfKey(key); !known[seq] {
			if h.p.seq = max(h.p.seq, seq); !packed[seq] {
				to.gone++
			}
			h.batch.Delete(bytes.Clone(key), nil)
		}
		return nil
	})
}

// check describes what is wrong with a profile; "" means nothing.
func (h *healing) check(head *format.Head, totals []int64, s *format.Samples) string {
	return checkProfile(h.p.dict, h.p.Service, h.p.Epoch, h.epoch, head, totals, s)
}

// blocks calls f for each readable block, with the heads of its profiles, its size, and the
// profiles.
func (h *healing) blocks(hour format.Hour, heads *format.Heads, f func(of []format.Head, size int, packed []format.Samples)) error {
	for i := 0; i < len(heads.List); {
		n := i + 1
		for n < len(heads.List) && heads.List[n].Block == heads.List[i].Block {
			n++
		}
		of := heads.List[i:n]
		i = n
		size := 0
		m, found, err := get(h.db, format.BlockKey(h.p.id, hour, of[0].Block-1), func(value []byte) (*format.Block, error) {
			size = len(value)
			return format.ReadBlock(value, int(of[0].Types), -1, h.p.dict.Sites())
		})
		if err != nil && !errors.Is(err, format.ErrDamaged) {
			return err
		}
		if err == nil && found && m.Profiles == len(of) {
			var k format.Packer
			m.Split(&k)
			f(of, size, k.Profiles)
		}
	}
	return nil
}

// rollUp rebuilds the roll-ups of a day from what remains of it.
func (h *healing) rollUp(day int32) error {
	want := map[string]*wantedRollup{}
	dict := h.p.dict
	for _, d := range h.p.hours {
		if format.WindowOf(format.LevelSeriesDay, d.hour.Start()) != day {
			continue
		}
		for level := range uint8(format.NumLevels) {
			for _, kind := range []byte{format.KindRollup, format.KindSums} {
				prefix := format.WindowKey(kind, h.p.id, level, format.WindowOf(level, d.hour.Start()))
				h.batch.DeleteRange(prefix, format.After(prefix), nil)
			}
		}
		var heads *format.Heads
		if to := h.hours[d.hour]; to != nil {
			heads = &to.heads
		} else if d.packed.Profiles > 0 {
			var err error
			if heads, err = h.cache.packedHeads(h.db, h.p.id, d.hour, d.version()); err != nil {
				return err
			}
		} else {
			continue
		}
		readable := 0
		err := h.blocks(d.hour, heads, func(of []format.Head, _ int, packed []format.Samples) {
			readable += len(of)
			for i := range of {
				wantRollups(want, h.p.id, dict, d.hour, &of[i], heads.TotalsOf(&of[i]), &packed[of[i].Row])
			}
		})
		if err != nil {
			return err
		}
		if readable != len(heads.List) {
			return format.Damaged(format.HourKey(format.KindHeads, h.p.id, d.hour), "%d of its %d profiles can be read", readable, len(heads.List))
		}
	}
	for key, w := range want {
		if level := key[5]; level != format.LevelFleetHour && day*24 < int32(h.p.Dropped) {
			continue // it would not be used
		}
		w.sum(len(w.head.Totals), dict)
		h.batch.Set([]byte(key), w.head.Append(nil), nil)
		h.batch.Set(append([]byte{format.KindSums}, key[1:]...), w.sums.Append(nil), nil)
	}
	return nil
}

// missing returns the number of profiles that are gone without a trace. Profiles are numbered
// in order of arrival, so gaps show them. It returns 0 if gaps say nothing: after hours were
// dropped, or while the store is in use.
func (h *healing) missing() int64 {
	p := h.p
	if p.Dropped != format.MinHour || h.running {
		return 0
	}
	n := int64(p.seq)
	for _, d := range p.hours {
		n -= int64(d.packed.Profiles) + int64(len(d.fresh.List))
	}
	return n
}

// install updates the partition in memory to what remains, and returns what was lost.
func (h *healing) install() (loss Loss) {
	p := h.p
	loss.Service = p.Service
	for _, d := range p.hours {
		to := h.hours[d.hour]
		if to == nil {
			continue
		}
		d.packed, d.fresh, d.bytes = to.packed, to.fresh, to.bytes
		d.heals++
		if to.gone == 0 {
			continue
		}
		if start := time.Unix(0, d.hour.Start()).UTC(); loss.Profiles == 0 || start.Before(loss.From) {
			loss.From = start
		}
		if end := time.Unix(0, d.hour.End()).UTC(); end.After(loss.To) {
			loss.To = end
		}
		loss.Profiles += to.gone
	}
	if missing := h.missing(); missing > loss.Profiles {
		start := time.Unix(0, p.Epoch).UTC()
		loss.From, loss.To, loss.Profiles = start, start.Add(time.Duration(h.epoch)), missing
	}
	p.hours = slices.DeleteFunc(p.hours, func(h *hourData) bool { return h.profiles() == 0 })
	return loss
}
