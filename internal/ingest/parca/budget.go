package parca

import (
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/profile"
)

func malformed(format string, args ...any) error {
	return ingest.Errorf(ingest.Malformed, format, args...)
}

// take takes memory from the request's share.
func (c *converter) take(n int64) error {
	if c.share == nil {
		return nil
	}
	err := c.share.Take(n)
	if err == nil {
		c.taken += n
	}
	return err
}

// defaults are those of profiles.
var defaults = profile.DefaultLimits()

// spend takes n bytes from those that may be made of what was sent.
func (c *converter) spend(n int) error {
	most := defaults.ExpandTo + int64(defaults.Expansion)*c.sent
	if c.built += int64(n); c.built > most {
		return ingest.Errorf(ingest.TooLarge, "the profiles of the request take more than %d bytes of memory for the %d sent", most, c.sent)
	}
	return c.take(int64(n))
}
