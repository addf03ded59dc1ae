package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/disk"
)

// storeDir returns the store in a directory, which may be a server's data directory.
func storeDir(dir string) (string, error) {
	inner := filepath.Join(dir, "store")
	if info, err := os.Stat(inner); err == nil && info.IsDir() {
		return inner, nil
	}
	if info, err := os.Stat(inner + ".repaired"); err == nil && info.IsDir() {
		return inner, nil // left by a repair that was killed between its last two steps
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", dir)
	}
	for _, name := range []string{"MANIFEST-*", "marker.*", "*.sst"} { // any may be missing
		if files, err := filepath.Glob(filepath.Join(dir, name)); err == nil && len(files) > 0 {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s has no store: give the data directory of hone serve, or the store in it", dir)
}

// isRemote reports whether a store is an address of ClickHouse, and not a directory.
func isRemote(where string) bool { return strings.HasPrefix(where, "clickhouse://") }

// openStore opens a store to copy from or to, without retention.
func openStore(ctx context.Context, where string, toWrite bool) (store.Store, error) {
	if isRemote(where) {
		return openRemote(ctx, where)
	}
	dir, err := storeDir(where)
	if toWrite && err != nil && isNew(where) {
		dir, err = where, nil
	}
	if err != nil {
		return nil, err
	}
	o := disk.Options{Log: slog.New(slog.DiscardHandler)}
	if !toWrite {
		o.PackAfter = -1 // don't change it
	}
	return disk.OpenContext(ctx, dir, o)
}

// openRemote opens a store in ClickHouse, without retention.
func openRemote(ctx context.Context, where string) (*clickhouse.Store, error) {
	c, err := clickhouse.ParseURL(where)
	if err != nil {
		return nil, err
	}
	c.Retention = 0
	return clickhouse.Open(ctx, c)
}

// isNew reports whether there is nothing at a path, or an empty directory.
func isNew(dir string) bool {
	entries, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0
}
