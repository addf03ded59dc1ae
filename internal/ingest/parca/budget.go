package parca

import (
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/profile"
)

func malformed(format string, args ...any) error {
	return ingest.Errorf(ingest.Malformed, format, args...)
}

// take takes memory from the request's share.
func (b *converter) take(n int64) error {
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
func (b *converter) spend(n int) error {
	most := defaults.ExpandTo + int64(defaults.Expansion)*b.sent
	if b.built += int64(n); b.built > most {
		return ingest.Errorf(ingest.TooLarge, "the profiles of the request need more than %d bytes of memory, which is the limit for the %d sent", most, b.sent)
	}
	return b.take(int64(n))
}
