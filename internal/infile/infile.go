// Package infile opens the files that hone reads, which anyone may have put there.
//
// A cloned repository can contain a directory of runs with a named pipe, or a symbolic link
// to /dev/zero. Opening a pipe waits for a writer that never comes, and reading /dev/zero
// never ends. So there are two ways to read:
//
//   - Files that hone finds on its own (runs, hone.toml, source files, side files of a
//     server) must be regular and of bounded size: Open, ReadFile.
//   - What the user names may be anything, including a pipe: OpenAny, Reader.
//
// Both end with their context.
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

// A SizeError is the error of a file that is larger than its limit.
type SizeError struct {
	Name        string
	Size, Limit int64 // in bytes; for an endless file, Size is how much was read
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

// Open opens a regular file, or a symbolic link to one. It never waits. The check before
// opening avoids touching a device; the check after it detects a file that was replaced in
// between.
func Open(name string) (*os.File, error) { return open(name, os.Stat, os.OpenFile) }

// OpenIn is Open for a file in a root; symbolic links can't leave the root.
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

// asOpen makes errors say "open", which is what the caller asked for.
func asOpen(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return &fs.PathError{Op: "open", Path: path.Path, Err: path.Err}
	}
	return err
}

// Exists reports whether a file or folder with this name exists and can be seen.
func Exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// IsDir reports whether a name is a folder.
func IsDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Check returns an error if a file isn't a regular one, and says what it is.
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

// ReadFile reads a regular file of at most limit bytes. A larger file is a *SizeError, and
// isn't read.
func ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	type text struct {
		data []byte
		err  error
	}
	if ctx.Done() == nil {
		return readFile(ctx, name, limit)
	}
	// Some file systems block, such as network file systems.
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
	// The size is 0 for files in /proc, and wrong if another process is writing.
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

// MaxSource is the size limit of source files, in bytes. The largest generated ones have
// about 30 MB.
const MaxSource = 128 << 20

// OpenAny opens what a user named. For anything that isn't a regular file, opening and
// reading end with the context.
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
		go func() { // it opens once there is a writer
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

// Reader returns a reader of r that ends with the context, even while r blocks, as pipes and
// terminals do. r may still be read once after that.
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
