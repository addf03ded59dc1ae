package pgo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/temporary"
	"github.com/hone-go/hone/profile"
)

// A Part says in a profile's comments what it was made of.
type Part struct {
	Source  string  `json:"source"`
	Version string  `json:"version,omitempty"`
	Samples int64   `json:"samples"` // as taken
	Weight  float64 `json:"weight"`  // of the whole, 0 to 1
}

const (
	weightsComment = "hone pgo: weights=%s"
	partComment    = "hone pgo: source=%q version=%q samples=%d weight=%.4f"
)

func describe(parts map[part]*cell, w Weights) []string {
	comments := []string{fmt.Sprintf(weightsComment, w)}
	ratios, total := scales(parts, w), 0.0
	for p, c := range parts {
		total += ratios[p] * c.nanos
	}
	var lines []string
	for p, c := range parts {
		weight := 0.0
		if total > 0 {
			weight = ratios[p] * c.nanos / total
		}
		lines = append(lines, fmt.Sprintf(partComment, p.source, p.version, int64(c.samples), weight))
	}
	slices.Sort(lines)
	return append(comments, lines...)
}

// A Summary is what a profile for the compiler has in it.
type Summary struct {
	Bytes     int64  `json:"bytes"`   // of the file
	Samples   int64  `json:"samples"` // as scaled
	Stacks    int    `json:"stacks"`
	Functions int    `json:"functions"`
	Parts     []Part `json:"parts,omitempty"` // if Merge made it
}

// Summarize says what is in a profile.
func Summarize(p *profile.Profile, size int64) *Summary {
	s := &Summary{Bytes: size, Stacks: p.NumSamples()}
	names := make(map[string]bool)
	for _, f := range p.Functions {
		names[p.Strings[f.Name]] = true
	}
	s.Functions = len(names)
	if value, err := columns(p); err == nil {
		for i := range p.Stacks {
			s.Samples += int64(value(i).samples)
		}
	}
	for _, c := range p.Comments {
		var part Part
		if n, _ := fmt.Sscanf(c, partComment[:strings.LastIndexByte(partComment, '%')]+"%f", &part.Source, &part.Version, &part.Samples, &part.Weight); n == 4 {
			s.Parts = append(s.Parts, part)
		}
	}
	slices.SortStableFunc(s.Parts, func(a, b Part) int { return cmp.Compare(b.Weight, a.Weight) })
	return s
}

// Names returns the sources, or the versions, that a profile is of, each once.
func (s *Summary) Names() (sources, versions []string) {
	for _, p := range s.Parts {
		if !slices.Contains(sources, p.Source) {
			sources = append(sources, p.Source)
		}
		if p.Version != "" && !slices.Contains(versions, p.Version) {
			versions = append(versions, p.Version)
		}
	}
	return sources, versions
}

// maxProfile is how large a file may be that is read as a profile for the compiler, which
// reads it as a whole for each package.
const maxProfile = 1 << 30

// Read reads a profile for the compiler. It is nil if there is no file.
func Read(file string) (*profile.Profile, *Summary, error) {
	data, err := infile.ReadFile(context.Background(), file, maxProfile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, Summarize(p, int64(len(data))), nil
}

// Write replaces a file, in one step, by a profile. Readers see the old one or the
// new one, and never a part. A file that has these bytes already is left alone, so
// that nothing is built anew for it.
func Write(file string, p *profile.Profile) (s *Summary, changed bool, err error) {
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		return nil, false, err
	}
	s = Summarize(p, int64(b.Len()))
	if old, err := infile.ReadFile(context.Background(), file, maxProfile); err == nil && bytes.Equal(old, b.Bytes()) {
		return s, false, nil
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	return s, true, temporary.ReplaceText(file, mode, b.Bytes())
}
