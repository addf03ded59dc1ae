package capture

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/trace"
	"github.com/hone-go/hone/profile"
)

// Loader opens, decodes and merges the sources of a command line.
type Loader struct {
	Fetcher *Fetcher
	Limits  profile.Limits
	// Each, if set, is given every profile before it is merged, and returns
	// what to merge. Calls come from several goroutines; what it is given must
	// not be kept.
	Each func(p *profile.Profile, s *Source) (*profile.Profile, error)
	// Warn is told, in the sources' order, of those that could not be loaded, and
	// of what the others' text has that could not be read.
	Warn func(error)
}

// Load returns the sum of the sources. Sample types that not all of them have
// are left out, and units are converted to the finest. A source that can't be
// loaded is left out with a warning, as long as there is another.
func (l *Loader) Load(ctx context.Context, sources []string) (*profile.Profile, error) {
	if len(sources) == 0 {
		return nil, errors.New("no profile source specified")
	}
	if sizes := fileSizes(sources); len(sources) > 1 && sizes != nil {
		p, errs, err := l.mergeFiles(ctx, sources, sizes)
		if err == nil {
			if err := l.report(errs, len(sources)); err != nil {
				return nil, err
			}
			l.warn(p)
			return p, nil
		}
		// Their sample types or units differ: that takes all of them at once.
	}
	ps, err := l.LoadEach(ctx, sources)
	if err != nil {
		return nil, err
	}
	return profile.Sum(ctx, slices.DeleteFunc(ps, func(p *profile.Profile) bool { return p == nil })...)
}

// LoadEach returns the profiles of the sources, nil for one that can't be loaded
// while another can, which Warn is told of.
func (l *Loader) LoadEach(ctx context.Context, sources []string) ([]*profile.Profile, error) {
	ps := make([]*profile.Profile, len(sources))
	errs := make([]error, len(sources))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 128) // of simultaneous requests
	for i, src := range sources {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			ps[i], errs[i] = l.one(ctx, src)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := l.report(errs, len(sources)); err != nil {
		return nil, err
	}
	l.warn(ps...)
	return ps, nil
}

// warn passes on what profiles warn of.
func (l *Loader) warn(ps ...*profile.Profile) {
	if l.Warn == nil {
		return
	}
	for _, p := range ps {
		if p == nil {
			continue
		}
		for _, w := range p.Warnings() {
			l.Warn(errors.New(w))
		}
	}
}

// report passes the errors on: as warnings if some source could be loaded.
func (l *Loader) report(errs []error, n int) error {
	failed := 0
	var last error
	for _, err := range errs {
		if err != nil {
			failed++
			last = err
		}
	}
	if failed == 0 {
		return nil
	}
	if n == 1 {
		return last
	}
	for _, err := range errs {
		if err != nil && l.Warn != nil {
			l.Warn(err)
		}
	}
	if failed == n {
		return fmt.Errorf("none of the %d sources could be loaded", n)
	}
	if l.Warn != nil {
		l.Warn(fmt.Errorf("loaded %d of %d sources", n-failed, n))
	}
	return nil
}

// one loads a single source.
func (l *Loader) one(ctx context.Context, source string) (*profile.Profile, error) {
	src, err := l.Fetcher.Open(ctx, source)
	if err != nil {
		return nil, err
	}
	defer src.Reader.Close()
	p, err := l.Decode(src.Reader, src)
	if _, file := src.Reader.(*fileReader); file && errors.Is(err, profile.ErrPerfData) {
		p, err = convertPerf(ctx, source, l.Limits)
		p, err = l.each(p, err, src)
	}
	if err != nil {
		return nil, named(source, err)
	}
	return p, nil
}

// Decode reads a profile as Load does. s says where it is from. An execution
// trace is read as the wall-clock profile of its goroutines, as trace.Wall
// makes it.
func (l *Loader) Decode(in io.Reader, s *Source) (*profile.Profile, error) {
	p, err := l.decode(in)
	return l.each(p, err, s)
}

// each completes a profile that was decoded.
func (l *Loader) each(p *profile.Profile, err error, s *Source) (*profile.Profile, error) {
	switch {
	case err != nil:
		return nil, err
	case len(p.SampleTypes) == 0:
		return nil, errNoTypes
	}
	p = profile.WithSource(p, s.Name)
	if l.Each != nil {
		return l.Each(p, s)
	}
	return p, nil
}

func (l *Loader) decode(in io.Reader) (*profile.Profile, error) {
	file, seeks := in.(interface {
		io.ReadSeeker
		io.ReaderAt
	})
	if seeks {
		head := make([]byte, trace.HeaderSize)
		n, _ := file.ReadAt(head, 0)
		if at, err := file.Seek(0, io.SeekCurrent); err != nil || at != 0 || !trace.Is(head[:n]) {
			p, err := profile.Decode(in, l.Limits)
			if !errors.Is(err, profile.ErrTrace) {
				return p, err
			}
			if _, err := file.Seek(at, io.SeekStart); err != nil {
				return nil, err
			}
			return l.trace(in)
		}
	} else {
		peeked := bufio.NewReader(in)
		head, _ := peeked.Peek(4 << 10)
		if in = peeked; !trace.Is(head) && !isCompressedTrace(head) {
			return profile.Decode(in, l.Limits)
		}
	}
	return l.trace(in)
}

// trace reads an execution trace, compressed or not, as a profile.
func (l *Loader) trace(in io.Reader) (*profile.Profile, error) {
	in, err := profile.Decompress(in)
	if err != nil {
		return nil, err
	}
	if most := cmp.Or(l.Limits.Bytes, profile.DefaultLimits().Bytes); most > 0 {
		in = io.LimitReader(in, most)
	}
	p, _, err := trace.Wall(in, trace.Options{})
	return p, err
}

// isCompressedTrace reports whether head begins a compressed execution trace.
func isCompressedTrace(head []byte) bool {
	in, err := profile.Decompress(bytes.NewReader(head))
	if err != nil {
		return false
	}
	start := make([]byte, trace.HeaderSize)
	n, _ := io.ReadFull(in, start)
	return trace.Is(start[:n])
}

// errNoTypes is the fault of a profile that says nothing, and could only be
// merged with others of that kind.
var errNoTypes = errors.New("the profile has no sample types")

// named puts the source before an error that doesn't name it.
func named(source string, err error) error {
	var fetch *fetchError
	var path *os.PathError
	if errors.As(err, &fetch) || errors.As(err, &path) {
		return err
	}
	var limit *profile.LimitError
	if errors.As(err, &limit) {
		return fmt.Errorf("%s: %w; -max-memory and -max-bytes say what the limits are", source, err)
	}
	return fmt.Errorf("%s: %w", source, err)
}

// fileSizes returns the sizes of the sources if all of them are files, else nil.
func fileSizes(sources []string) []int64 {
	sizes := make([]int64, len(sources))
	for i, s := range sources {
		info, err := os.Stat(s)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		sizes[i] = info.Size()
	}
	return sizes
}

// shares cuts things of the given sizes into n runs of about the same size and
// returns where they begin, and the end.
func shares(sizes []int64, n int) []int {
	var total int64
	for _, s := range sizes {
		total += s
	}
	bounds := make([]int, 1, n+1)
	var sum int64
	for i, s := range sizes {
		for len(bounds) < n && sum+s/2 >= total*int64(len(bounds))/int64(n) {
			bounds = append(bounds, i)
		}
		sum += s
	}
	for len(bounds) <= n {
		bounds = append(bounds, len(sizes))
	}
	return bounds
}

// mergeFiles loads files without keeping more than one per processor in memory.
// Each worker merges a run of neighbours, so that the result doesn't depend on
// their number. It fails if the profiles can't be merged as they are.
func (l *Loader) mergeFiles(ctx context.Context, files []string, sizes []int64) (*profile.Profile, []error, error) {
	workers := min(runtime.GOMAXPROCS(0), len(files))
	bounds := shares(sizes, workers)
	mergers := make([]profile.Merger, workers)
	counts := make([]int, workers)
	errs := make([]error, len(files))
	failed := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			dec := profile.Decoder{Limits: l.Limits}
			var buf []byte
			for i := bounds[w]; i < bounds[w+1] && ctx.Err() == nil; i++ {
				var p *profile.Profile
				var err error
				if buf, err = readFile(ctx, files[i], buf, l.mostBytes()); err == nil && trace.Is(buf) {
					p, _, err = trace.Wall(bytes.NewReader(buf), trace.Options{})
				} else if err == nil {
					p, err = dec.Decode(buf)
				}
				switch {
				case errors.Is(err, profile.ErrTrace):
					p, err = l.trace(bytes.NewReader(buf))
				case errors.Is(err, profile.ErrPerfData):
					p, err = convertPerf(ctx, files[i], l.Limits)
				}
				p, err = l.each(p, err, &Source{Name: files[i], Size: int64(len(buf))})
				if err != nil {
					errs[i] = named(files[i], err)
					continue
				}
				mergers[w].Context = ctx
				if err := mergers[w].Add(p); err != nil {
					failed[w] = err
					return
				}
				counts[w]++
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(failed...); err != nil {
		return nil, nil, err
	}
	var all *profile.Merger
	for w := range mergers {
		switch {
		case counts[w] == 0:
		case all == nil:
			all = &mergers[w]
		default:
			if err := all.Add(mergers[w].Profile()); err != nil {
				return nil, nil, err
			}
		}
	}
	if all == nil {
		return nil, errs, nil
	}
	return all.Profile(), errs, nil
}

// mostBytes is how large a file may be that is read as a whole; 0 is no limit.
func (l *Loader) mostBytes() int64 {
	if l.Fetcher.MaxBytes > 0 {
		return l.Fetcher.MaxBytes
	}
	return l.Limits.Memory
}

// readFile reads a file into buf, or into a larger one.
func readFile(ctx context.Context, name string, buf []byte, limit int64) ([]byte, error) {
	f, err := infile.Open(name)
	if err != nil {
		return buf, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return buf, err
	}
	size := info.Size()
	if limit > 0 && size > limit {
		return buf, fmt.Errorf("%d bytes, more than the limit of %d (-max-bytes, -max-memory)", size, limit)
	}
	// Half as much again, as files of a run are about the same size and buf is for
	// all of them. The rest is room for the read that meets the end.
	const spare = 512
	if int64(cap(buf)) < size+spare {
		buf = make([]byte, 0, size+size/2+spare)
	}
	buf = buf[:0]
	for {
		if err := ctx.Err(); err != nil {
			return buf, err
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}
