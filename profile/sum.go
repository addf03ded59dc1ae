package profile

import (
	"context"
	"errors"
)

// Sum returns the profiles added up: sample types that not all of them have are
// left out, and units are converted to the finest; see [Align]. A single profile
// is its own sum. It ends early with the error of ctx.
func Sum(ctx context.Context, ps ...*Profile) (*Profile, error) {
	if len(ps) == 0 {
		return nil, errors.New("no profiles to add up")
	}
	aligned, err := Align(ps)
	if err != nil {
		return nil, err
	}
	if len(aligned) == 1 {
		return aligned[0], nil
	}
	return merge(ctx, aligned)
}
