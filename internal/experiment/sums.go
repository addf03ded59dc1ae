package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/infile"
)

// sumFiles returns the sums of all files of a run but run.json and hidden ones.
func sumFiles(dir string) (map[string]FileSum, error) {
	sums := make(map[string]FileSum)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || rel == infoFile || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		sum, err := sumFile(context.Background(), path, -1)
		sums[filepath.ToSlash(rel)] = sum
		return err
	})
	return sums, err
}

// sumFile returns the sum of a file, of one with another size than wanted the size alone;
// with -1 any size is.
func sumFile(ctx context.Context, path string, want int64) (FileSum, error) {
	f, err := infile.Open(path)
	if err != nil {
		return FileSum{}, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || want >= 0 && info.Size() != want {
		return FileSum{Bytes: info.Size()}, err
	}
	h := sha256.New()
	n, err := io.Copy(h, infile.Reader(ctx, f))
	return FileSum{n, hex.EncodeToString(h.Sum(nil))}, err
}

// checkSums compares a complete run with what was noted when it was closed.
func checkSums(ctx context.Context, dir string, info *Info) error {
	if info.State != Complete {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(info.Files)) {
		want, file := info.Files[name], filepath.Join(dir, filepath.FromSlash(name))
		got, err := sumFile(ctx, file, want.Bytes)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return &CorruptError{file, 0, -1, fs.ErrNotExist}
		case err != nil:
			return unread(file, err)
		case got.Bytes < want.Bytes:
			return &CorruptError{file, 0, got.Bytes, fmt.Errorf("ends here, of %d bytes", want.Bytes)}
		case got.Bytes > want.Bytes:
			return &CorruptError{file, 0, want.Bytes, fmt.Errorf("should end here, but has %d bytes more", got.Bytes-want.Bytes)}
		case got.SHA256 != want.SHA256:
			return &CorruptError{file, 0, -1, fmt.Errorf("content changed after the run was closed: SHA-256 is %.12s…, was %.12s…", got.SHA256, want.SHA256)}
		}
	}
	return nil
}
