package temporary

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/lazyregexp"
)

const (
	prefix = "hone-tmp-"
	hidden = "." + prefix
)

// Builds before this package made these. Only names with a number from os.CreateTemp
// count, so a user's .hone-fix-notes stays. The first builds didn't lock files, but had
// them only for milliseconds.
var (
	formerFile = lazyregexp.New(`^\.hone-fix-[0-9]+$`) // next to a rewritten source file
	formerDir  = lazyregexp.New(`^hone-bench-[0-9]+$`) // has a file called lock
)

// isFormer reports whether an older build, which is no longer running, left an entry.
func isFormer(e fs.DirEntry) bool {
	name := formerFile
	if e.IsDir() {
		name = formerDir
	} else if !e.Type().IsRegular() {
		return false
	}
	if !name.MatchString(e.Name()) {
		return false
	}
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > young
}

func isTemporary(e fs.DirEntry) bool {
	if isFormer(e) {
		return true
	}
	if e.IsDir() {
		return strings.HasPrefix(e.Name(), prefix) || strings.HasPrefix(e.Name(), hidden)
	}
	return e.Type().IsRegular() && strings.HasPrefix(e.Name(), hidden)
}

// Sweep removes from a folder what killed hones have left.
func Sweep(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // missing, or not ours
	}
	for _, e := range entries {
		if isTemporary(e) {
			sweep(filepath.Join(folder, e.Name()), e.IsDir())
		}
	}
}

// SweepTemp sweeps the system's temporary directory.
func SweepTemp() { Sweep(os.TempDir()) }

// SweepTree sweeps a folder and all folders in it, except those of git and npm.
func SweepTree(root string) {
	filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case e == nil || err != nil:
			return nil // a folder that can't be read
		case isTemporary(e):
			sweep(path, e.IsDir())
		case !e.IsDir() || e.Name() != ".git" && e.Name() != "node_modules":
			return nil
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}
