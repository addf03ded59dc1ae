package pgo

import (
	"fmt"

	"github.com/hone-go/hone/profile"
)

// A Made is a profile that Make has written, or that was there.
type Made struct {
	Profile *profile.Profile
	Before  *Summary // of the file before; nil if it is new
	After   *Summary
	Changed bool    // the file has other bytes than before
	LeftOut []error // why inputs aren't part of it
}

// Make merges the inputs that belong to a module, and writes them into a file. What the file has is
// replaced if it is such a profile. After an error, the result has what was left out before it.
func Make(inputs []Input, w Weights, module Module, file string) (*Made, error) {
	var made Made
	var kept []Input
	for _, in := range inputs {
		if err := Check(in.Profile, module); err != nil {
			made.LeftOut = append(made.LeftOut, fmt.Errorf("%s: %w", in.Source, err))
			continue
		}
		kept = append(kept, in)
	}
	if len(kept) == 0 && len(made.LeftOut) > 0 {
		return &Made{}, made.LeftOut[0]
	}
	var err error
	if made.Profile, err = Merge(kept, w); err != nil {
		return &made, err
	}
	if _, made.Before, err = Read(file); err != nil {
		return &made, fmt.Errorf("%w: the existing file is not a profile and was not replaced; move it away, or use -o FILE", err)
	}
	made.After, made.Changed, err = Write(file, made.Profile)
	return &made, err
}

// Existing reads the profile that a file has.
func Existing(file string) (*Made, error) {
	p, s, err := Read(file)
	if err == nil && p == nil {
		err = fmt.Errorf("%s doesn't exist: make it first, with hone pgo PROFILE", file)
	}
	return &Made{Profile: p, After: s}, err
}
