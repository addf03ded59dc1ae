package parca

import (
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/profile"
)

// A budget limits the memory of the profiles of one request.
type budget struct {
	lim ingest.Limits

	// Bytes that were sent, and bytes of the profiles and of the data on the way to
	// them. The limits for decoded profiles apply to built.
	sent, built int64

	share *ingest.Share // source of memory; nil: memory isn't counted
	taken int64         // bytes taken from share
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

// defaults are the default limits of profiles.
var defaults = profile.DefaultLimits()

// spend takes n bytes from the limit for data built from the request.
func (b *budget) spend(n int) error {
	most := defaults.ExpandTo + int64(defaults.Expansion)*b.sent
	if b.built += int64(n); b.built > most {
		return ingest.Errorf(ingest.TooLarge, "the profiles of the request need more than %d bytes of memory, which is the limit for the %d sent", most, b.sent)
	}
	return b.take(int64(n))
}
