package capture

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hone-go/hone/internal/trace"
	"github.com/hone-go/hone/profile"
)

// Wall reads a trace, or a profile that was made of one, within limits. Of the latter
// there are no stats.
func (f *Fetcher) Wall(ctx context.Context, source string, o trace.Options, limits profile.Limits) (*profile.Profile, *trace.Stats, error) {
	src, err := f.Open(ctx, source)
	if err != nil {
		return nil, nil, err
	}
	defer src.Reader.Close()
	in := bufio.NewReaderSize(sourceReader{src.Reader}, 64<<10)
	head, err := in.Peek(trace.HeaderSize)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	name := func(err error) error {
		if errors.As(err, new(sourceError)) {
			return err // which names the source
		}
		return fmt.Errorf("%s: %w", src.Name, err)
	}
	if !trace.Is(head) {
		plain, err := profile.Decompress(in)
		if err != nil {
			return nil, nil, name(err)
		}
		if f.MaxBytes > 0 {
			plain = io.LimitReader(plain, f.MaxBytes)
		}
		in = bufio.NewReaderSize(plain, 64<<10)
		if head, err = in.Peek(trace.HeaderSize); err != nil && err != io.EOF {
			return nil, nil, name(err)
		}
	}
	if trace.Is(head) {
		p, stats, err := trace.Wall(in, o)
		if err != nil {
			return nil, nil, name(err)
		}
		return p, &stats, nil
	}
	p, err := profile.Decode(in, limits)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: neither an execution trace nor a profile: %w", src.Name, err)
	}
	return p, nil, nil
}

// A sourceReader tells errors of reading a source from those of what it holds.
type sourceReader struct{ io.Reader }

func (r sourceReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = sourceError{err}
	}
	return n, err
}

type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }
