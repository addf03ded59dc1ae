package disk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/hashing"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// Whoever watches a service asks the same question again and again, of a range that has moved
// on a little. So the sums of a part are kept with the list of what was added up. The next sums
// are these, minus the profiles that left the range, plus those that came.
//
// That is exact. Integers add up in any order, and nothing in the list ever changes: a fresh
// profile, a profile of a block, a roll-up of a version. A profile that came late, was packed,
// deleted or lost gives another list, as each list is made from the store as it is. When
// something that left the range can't be read any more, all is added up again.

// keptSums are the cached sums of an earlier query. They are shared and never change.
type keptSums struct {
	sources
	sums *format.Adder
}

const (
	// maxKeptSums is how many sums are kept for the same series: those of both sides of a
	// comparison, and of ranges of other lengths.
	maxKeptSums = 4
	// minKeptProfiles is how many single profiles it takes to keep their sums.
	minKeptProfiles = 16
)

// memory returns the approximate size in bytes.
func (k *keptSums) memory() int64 {
	n := k.sums.Memory() + int64(16*cap(k.fresh)+40*cap(k.blocks))
	for i := range k.blocks {
		n += int64(8 * cap(k.blocks[i].rows))
	}
	for i := range k.rollups {
		n += int64(len(k.rollups[i].key)) + 24
	}
	return n
}

// sums returns the sums of the part, which are shared and must not be changed.
func (p *part) sums(ctx context.Context) (*format.Adder, error) {
	if !p.moving || p.profiles() < minKeptProfiles {
		return p.addUp(ctx)
	}
	s := p.v.s
	key := p.sumsKey()
	kept, _ := s.sums.get(key).([]*keptSums)
	a, from := p.moveOn(ctx, kept)
	if a == nil {
		var err error
		if a, err = p.addUp(ctx); err != nil {
			return nil, err
		}
	}
	next := []*keptSums{{p.sources, a}}
	n := next[0].memory()
	for _, k := range kept {
		if m := k.memory(); k != from && len(next) < maxKeptSums && n+m < s.sums.limit/4 {
			next, n = append(next, k), n+m
		}
	}
	s.sums.replace(key, next, n)
	return a, nil
}

// sumsKey returns the cache key of sums for the same series and column. Their sources, which
// may differ, say what they contain.
func (p *part) sumsKey() cacheKey {
	series := uint64(0)
	for i, m := range p.v.matches {
		if m.group == p.group {
			series = hashing.Mix(series, uint64(i)+1)
		}
	}
	b := binary.BigEndian.AppendUint32(nil, p.v.p.id)
	b = binary.BigEndian.AppendUint32(b, p.measures)
	b = binary.BigEndian.AppendUint32(b, uint32(p.wanted))
	b = binary.BigEndian.AppendUint64(b, series)
	return cacheKey{string(b), p.v.s.heals.Load()}
}

// moveOn computes the part's sums from the cached sums that differ least, and returns both. It
// returns nil if adding up everything costs less, or if profiles to subtract can't be read.
func (p *part) moveOn(ctx context.Context, kept []*keptSums) (a *format.Adder, from *keptSums) {
	var gone, come sources
	least := p.profiles() / 2
	for _, k := range kept {
		if !slices.Equal(k.rollups, p.rollups) {
			continue
		}
		left, new := k.without(&p.sources), p.without(&k.sources)
		if n := left.profiles() + new.profiles(); n < least {
			from, gone, come, least = k, left, new, n
		}
	}
	if from == nil {
		return nil, nil
	}
	a = from.sums
	if least > 0 {
		a = a.Clone(p.v.dict.Sites())
	}
	if p.each(ctx, &gone, a.Remove) != nil || p.each(ctx, &come, a.Add) != nil {
		return nil, nil
	}
	p.v.s.counts.moved.Add(1)
	return a, from
}

// addUp adds up all sources of the part.
func (p *part) addUp(ctx context.Context) (*format.Adder, error) {
	v := p.v
	a := format.NewAdder(len(v.dict.Schemas[p.measures].Types), p.wanted, v.dict.Sites())
	if err := p.eachFresh(ctx, p.fresh, a.Add); err != nil {
		return nil, err
	}
	for _, r := range p.rollups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ck := cacheKey{fmt.Sprint(r.key, p.wanted), r.version}
		s, err := loadStored(v.s.cache, ck, v.snap, []byte(r.key), "it has a head but no samples", func(value []byte) (*format.Sums, error) {
			return format.ReadSums(value, a.Types, p.wanted, v.dict.Sites())
		})
		if err != nil {
			return nil, err
		}
		s.AddTo(a)
	}
	for i := range p.blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := &p.blocks[i]
		m, err := v.block(b.blockID, a.Types, p.wanted)
		if err != nil {
			return nil, err
		}
		for len(b.rows)*64 < m.Profiles {
			b.rows = append(b.rows, 0)
		}
		m.AddTo(a, b.rows)
	}
	return a, nil
}

// each calls f with the samples of single profiles.
func (p *part) each(ctx context.Context, from *sources, f func(s *format.Samples)) error {
	if err := p.eachFresh(ctx, from.fresh, f); err != nil {
		return err
	}
	types := len(p.v.dict.Schemas[p.measures].Types)
	for i := range from.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := &from.blocks[i]
		profiles, err := p.v.unpacked(b.blockID, types, p.wanted)
		if err != nil {
			return err
		}
		for w, word := range b.rows {
			for ; word != 0; word &= word - 1 {
				row := w*64 + bits.TrailingZeros64(word)
				if row >= profiles.Profiles() {
					return format.Damaged(p.v.blockKey(b.blockID), "it has %d profiles, but a head refers to profile %d (the first is 0)", profiles.Profiles(), row)
				}
				s := profiles.Samples(row)
				f(&s)
			}
		}
	}
	return nil
}

// eachFresh calls f with the samples of fresh profiles.
func (p *part) eachFresh(ctx context.Context, fresh []freshSource, f func(s *format.Samples)) (err error) {
	if len(fresh) == 0 {
		return nil
	}
	// They are in the order of their keys, so that one iterator finds each near the one before.
	v := p.v
	prefix := format.PartitionKey(format.KindSamples, v.p.id)
	it, err := v.snap.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.After(prefix)})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, it.Close()) }()
	types := len(v.dict.Schemas[p.measures].Types)
	var s format.Samples
	for _, one := range fresh {
		if err := ctx.Err(); err != nil {
			return err
		}
		key := format.SeqKey(format.KindSamples, v.p.id, one.hour, one.seq)
		if !it.SeekGE(key) || !bytes.Equal(it.Key(), key) {
			return cmp.Or(it.Error(), format.Damaged(key, "it is missing"))
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return fmt.Errorf("%s: %w", format.KeyName(key), err)
		}
		if err := format.ReadSamples(&s, value, types, p.wanted, v.dict.Sites()); err != nil {
			return format.InKey(key, err)
		}
		f(&s)
	}
	return nil
}
