package ingest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"slices"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// An arrival is a push on its way into the store.
type arrival struct {
	*Push
	service string
	sent    store.Labels // mended; without a kind where the profile tells it
	rec     store.Record
	own     store.Labels // of its series as sent; rec.Labels may be those of a common one
	delta   *counter
	decoder *profile.Decoder // whose memory rec.Profile is, or nil
	share   *Share           // where its memory comes from
	err     *Error
}

// bytes returns how many bytes a push came in.
func (p *Push) bytes() int64 { return cmp.Or(p.Sent, int64(len(p.Data))) }

// identity returns what tells a push from others and is the same when it is sent
// again: labels, time, and the key or else the content. The record has all of it but
// the ID; its time is 0 where a key is remembered for as long as it may come again.
func identity(a *arrival) store.ID {
	h := sha256.New()
	b := []byte{'c'}
	if a.Key != "" {
		b[0] = 'k'
	}
	for _, l := range a.rec.Labels {
		b = appendText(b, l.Name)
		b = appendText(b, l.Value)
	}
	b = appendText(b, "") // no label has this name
	b = binary.BigEndian.AppendUint64(b, uint64(a.rec.Time))
	if a.Key != "" {
		h.Write(appendText(b, a.Key))
		return sum(h)
	}
	h.Write(b)
	if a.Profile != nil {
		a.Profile.EncodeUncompressed(h) // writing to a hash can't fail
	} else {
		h.Write(a.Data)
	}
	return sum(h)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func sum(h hash.Hash) (id store.ID) {
	var all [sha256.Size]byte
	copy(id[:], h.Sum(all[:0]))
	return id
}

// seriesKey returns the identity of what an arrival continues.
func seriesKey(a *arrival) store.ID {
	h := sha256.New()
	var b []byte
	for _, l := range a.own {
		b = appendText(appendText(b, l.Name), l.Value)
	}
	b = appendText(b, "")
	for _, c := range slices.Sorted(slices.Values(a.Cumulative)) {
		b = appendText(b, c)
	}
	h.Write(appendText(append(b, 0), a.Sender))
	return sum(h)
}

// commit makes the differences of arrivals final: of each series all of them,
// or none if one is not in the store and may be sent again.
func commit(arrivals []arrival) {
	for i := range arrivals {
		if c := arrivals[i].delta; c != nil {
			lost := func(a arrival) bool { return a.delta == c && a.err != nil && a.err.Reason != Expired }
			if !slices.ContainsFunc(arrivals, lost) {
				c.last = c.next
			}
		}
	}
}

// takeStoring takes what a store needs while it keeps a profile. A stack that compresses
// to a few bytes can have thousands of frames that the store has to tell apart, so this
// is bounded by what was sent, like the profile itself.
func takeStoring(share *Share, a *arrival) *Error {
	const (
		perFrame, perSample = 48, 32 // about what the store's tables take while they grow
		most, expansion     = 128 << 20, 64
	)
	p := a.rec.Profile
	n := int64(perFrame*len(p.Frames) + perSample*p.NumSamples())
	if limit := most + expansion*a.bytes(); n > limit {
		return Errorf(TooLarge, "storing the profile's %d samples with %d frames in total needs %d bytes of memory; the limit is %d for the %d bytes sent: send fewer samples or shorter stacks",
			p.NumSamples(), len(p.Frames), n, limit, a.bytes())
	}
	var refused *Error
	errors.As(share.Take(n), &refused)
	return refused
}
