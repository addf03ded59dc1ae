// Package infile opens what hone reads: files that anybody may have put where they are.
//
// A repository that was cloned can have a directory of runs with a named pipe in it, or a
// symbolic link to /dev/zero. Opening the one waits for a writer that never comes, reading
// the other never ends. So there are two ways in:
//
//   - What hone finds on its own (runs, hone.toml, source files, side files of a server)
//     is a regular file of a bounded size, or an error: Open, ReadFile.
//   - What the user names may be anything, also a pipe: OpenAny, Reader.
//
// Both end when their context does.
package infile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular: a file is a directory, a pipe, a device or a socket.
var ErrNotRegular = errors.New("expected a regular file")

// A SizeError says that a file is larger than what is read of its kind.
type SizeError struct {
	Name        string
	Size, Limit int64 // in bytes; of an endless file, Size is what was read
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s is too large: %s, the limit is %s", e.Name, size(e.Size), size(e.Limit))
}

func size(n int64) string {
	switch {
	case n >= 10<<20, n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Open opens a regular file, or a symbolic link to one. It never waits, whatever the name
// stands for: the check before keeps it from touching a device, the one after from being
// fooled by a file that was exchanged in between.
func Open(name string) (*os.File, error) { return open(name, os.Stat, os.OpenFile) }

// OpenIn is Open of a file below a root, which nothing leads out of.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	return open(name, root.Stat, root.OpenFile)
}

func open(name string, stat func(string) (fs.FileInfo, error), openFile func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	info, err := stat(name)
	if err != nil {
		return nil, asOpen(err)
	}
	if err := Check(name, info); err != nil {
		return nil, err
	}
	f, err := openFile(name, os.O_RDONLY|doNotWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = Check(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// asOpen has errors speak of opening, which is what was asked for.
func asOpen(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return &fs.PathError{Op: "open", Path: path.Path, Err: path.Err}
	}
	return err
}

// Exists reports whether there is something of that name, as far as can be told.
func Exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// IsDir reports whether a name is that of a folder.
func IsDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Check reports what a file is that is not a regular one.
func Check(name string, info fs.FileInfo) error {
	kind := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "socket"
	case mode&fs.ModeDevice != 0:
		kind = "device"
	default:
		return fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	return fmt.Errorf("%s is a %s: %w", name, kind, ErrNotRegular)
}

// ReadFile reads a regular file of at most limit bytes. A larger one is a *SizeError before
// anything is read of it.
func ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	type text struct {
		data []byte
		err  error
	}
	if ctx.Done() == nil {
		return readFile(ctx, name, limit)
	}
	// Some file systems wait, those of other machines for one.
	done := make(chan text, 1)
	go func() {
		data, err := readFile(ctx, name, limit)
		done <- text{data, err}
	}()
	select {
	case t := <-done:
		return t.data, t.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func readFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if n := info.Size(); n > limit {
		return nil, &SizeError{name, n, limit}
	}
	// The size is 0 for files of /proc, and another when somebody writes meanwhile.
	const chunk = 1 << 20
	data := make([]byte, 0, info.Size()+512)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):min(cap(data), len(data)+chunk)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, &SizeError{name, int64(len(data)), limit}
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}

// MaxSource is how large a source file may be that hone reads. The largest that people
// generate have some 30 MB.
const MaxSource = 128 << 20

// OpenAny opens what a user named: a regular file is returned as it is, and of anything
// else opening and reading end with the context.
func OpenAny(ctx context.Context, name string) (io.ReadCloser, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, asOpen(err)
	}
	if info.Mode().IsRegular() {
		return Open(name)
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return &closing{Reader(ctx, o.f), o.f}, nil
	case <-ctx.Done():
		go func() { // it opens when somebody writes
			if o := <-done; o.err == nil {
				o.f.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

type closing struct {
	io.Reader
	file io.Closer
}

func (c *closing) Close() error { return c.file.Close() }

// Reader returns a reader of r that ends with the context, also while r waits, as pipes and
// terminals do. After that r may still be read once.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	if ctx.Done() == nil {
		return r
	}
	return &reader{ctx: ctx, from: r}
}

type reader struct {
	ctx  context.Context
	from io.Reader
	buf  []byte // of the goroutine, while one reads
	left []byte // what it read, not yet passed on
	err  error
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.left) == 0 && r.err == nil {
		if r.buf == nil {
			r.buf = make([]byte, 64<<10)
		}
		n := 0
		done := make(chan struct{})
		var err error
		go func() {
			n, err = r.from.Read(r.buf)
			close(done)
		}()
		select {
		case <-done:
			r.left, r.err = r.buf[:n], err
		case <-r.ctx.Done():
			return 0, r.ctx.Err()
		}
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	if len(r.left) > 0 || n > 0 {
		return n, nil
	}
	return 0, r.err
}
