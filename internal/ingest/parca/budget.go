package parca

import (
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/profile"
)

// A budget is what the profiles of one request may take, and how much of it was taken.
type budget struct {
	lim ingest.Limits

	// Bytes that were sent, and that the profiles and what leads to them take.
	// For the latter what holds for profiles that are decoded holds too.
	sent, built int64

	share *ingest.Share // where memory comes from, nil counts nothing
	taken int64         // of it
}

func malformed(format string, args ...any) error {
	return ingest.Errorf(ingest.Malformed, format, args...)
}

// take takes memory from the request's share.
func (b *budget) take(n int64) error {
	if b.share == nil {
		return nil
	}
	err := b.share.Take(n)
	if err == nil {
		b.taken += n
	}
	return err
}

// defaults are those of profiles.
var defaults = profile.DefaultLimits()

// spend takes n bytes from those that may be made of what was sent.
func (b *budget) spend(n int) error {
	most := defaults.ExpandTo + int64(defaults.Expansion)*b.sent
	if b.built += int64(n); b.built > most {
		return ingest.Errorf(ingest.TooLarge, "the profiles of the request need more than %d bytes of memory, which is the limit for the %d sent", most, b.sent)
	}
	return b.take(int64(n))
}
