package profile

import (
	"errors"
	"io"
)

// legacyFormats are tried in this order. parse returns errNotLegacy if the input begins
// differently, and a *misfit if it continues differently.
var legacyFormats = []struct {
	kind  string
	parse func(*legacy) error
}{
	{"a CPU profile", legacyCPU},
	{"a heap profile", legacyHeap},
	{"a count profile", legacyCount},
	{"a thread profile", legacyThreads},
	{"a contention profile", legacyContention},
	{"a Java profile", legacyJava},
}

// decodeLegacy decodes the formats of profiles before protobuf. open returns the
// decompressed input from its start. Memory is taken from m.
func decodeLegacy(open func() (io.Reader, error), lim Limits, m *meter) (*Profile, error) {
	lim = lim.withDefaults()
	failure := errNotLegacy
	furthest := int64(-1)
	lines := newTextLines(nil, lim.TextBytes, m)
	for _, format := range legacyFormats {
		in, err := open()
		if err != nil {
			return nil, err
		}
		lines.in.Reset(in)
		l := newLegacy(lines, format.kind, lim)
		err = format.parse(l)
		if err == nil {
			return l.profile()
		}
		m.give(l.held + l.columns())
		lines.long = l.long
		var other *misfit
		switch {
		case errors.As(err, &other):
			if other.Offset > furthest {
				failure, furthest = other.SyntaxError, other.Offset
			}
		case !errors.Is(err, errNotLegacy) && furthest < 0:
			return nil, err
		}
	}
	return nil, failure
}
