package srcfind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
)

// goEnv is what the go command knows. Empty strings are unknown.
type goEnv struct {
	goroot, modcache string
	err              error // why the go command was of no help, if it was needed
}

// A runGoFunc asks the go command in a folder, with more variables in its environment.
type runGoFunc func(ctx context.Context, dir string, extraEnv ...string) (goroot, modcache string, err error)

// loadEnv asks the go command only for what the environment leaves open.
func loadEnv(dir string, run runGoFunc) goEnv {
	e := goEnv{goroot: os.Getenv("GOROOT"), modcache: os.Getenv("GOMODCACHE")}
	if e.goroot != "" && e.modcache != "" {
		return e
	}
	// A go.mod may ask for a newer toolchain. GOPROXY=off lets the go command
	// switch to one that is already there, but not download it.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	goroot, modcache, err := run(ctx, dir, gocmd.NoDownloads)
	if err != nil && ctx.Err() == nil && !errors.Is(err, exec.ErrNotFound) {
		goroot, modcache, err = run(ctx, dir, gocmd.NoDownloads, gocmd.LocalToolchain)
	}
	if err != nil {
		e.err = fmt.Errorf("go env: %w", err)
		goroot, modcache = gorootOfPath(), defaultModCache()
	}
	if e.goroot == "" {
		e.goroot = goroot
	}
	if e.modcache == "" {
		e.modcache = modcache
	}
	return e
}

func runGoEnv(ctx context.Context, dir string, extraEnv ...string) (goroot, modcache string, err error) {
	values, err := gocmd.Command{Dir: dir, Env: extraEnv}.Environ(ctx, "GOROOT", "GOMODCACHE")
	if failed := new(gocmd.Error); errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return "", "", err
	}
	return strings.TrimSpace(values[0]), strings.TrimSpace(values[1]), nil
}

// gorootOfPath is the GOROOT that the go command's own place suggests, or the
// place of the official installers.
func gorootOfPath() string {
	var dirs []string
	if exe, err := exec.LookPath("go"); err == nil {
		if exe, err = filepath.EvalSymlinks(exe); err == nil {
			dirs = append(dirs, filepath.Dir(filepath.Dir(exe)))
		}
	}
	for _, dir := range append(dirs, "/usr/local/go", `C:\Program Files\Go`) {
		if fi, err := os.Stat(filepath.Join(dir, "src", "runtime")); err == nil && fi.IsDir() {
			return dir
		}
	}
	return ""
}

func defaultModCache() string {
	for _, dir := range filepath.SplitList(os.Getenv("GOPATH")) {
		return filepath.Join(dir, "pkg", "mod")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, "go", "pkg", "mod")
	}
	return ""
}
