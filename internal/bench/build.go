package bench

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/workspace"
)

// build compiles test binaries. What does not compile is a failure, left out.
func (b *builder) build(ctx context.Context, s experiment.Side, packages []*benchPackage) ([]*benchPackage, error) {
	b.toBuild = len(packages)
	var built []*benchPackage
	for i, p := range packages {
		ok, err := b.buildOne(ctx, s, p, i)
		if err != nil {
			return nil, err
		}
		if ok {
			built = append(built, p)
		}
	}
	return built, nil
}

// buildOne compiles a test binary, of the n-th package, unless it is there, and reports
// whether it is now. It may be missing without a failure: without files of tests.
func (b *builder) buildOne(ctx context.Context, s experiment.Side, p *benchPackage, n int) (bool, error) {
	if p.binary != "" {
		return true, nil
	}
	b.event(Event{Stage: "build", What: p.path, Done: n, Total: b.toBuild})
	// Names of the same length on both sides: the length of argv[0] moves the
	// stack (T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything
	// Obviously Wrong!", 2009).
	tests := "own"
	if p.borrows {
		tests = "let"
	}
	dir := filepath.Join(b.Scratch.Path, "bin", s.String(), strconv.Itoa(n)+tests)
	binary := filepath.Join(dir, path.Base(p.path)+".test"+exeSuffix()) // profiles show the name
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	if len(p.replace) > 0 {
		p.overlay = filepath.Join(dir, "overlay.json")
		if err := gocmd.WriteOverlay(p.overlay, b.overlays[s], p.replace); err != nil {
			return false, err
		}
	}
	flags := b.buildFlags(s, p)
	printed, err := b.compile(ctx, s, p, binary, flags)
	if err == nil && slices.Contains(b.Profiles, leakKind) {
		dir := filepath.Join(dir, "leaks")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return false, err
		}
		overlay, overlayErr := leakOverlay(p, dir, b.profileFile(), b.overlays[s])
		if overlayErr != nil {
			return false, overlayErr
		}
		p.leaks = filepath.Join(dir, filepath.Base(binary))
		printed, err = b.compile(ctx, s, p, p.leaks, withOverlay(flags, overlay))
	}
	if errors.As(err, new(*exec.ExitError)) {
		what, output := "does not build", workspace.Excerpt(printed, 30, 5)
		if vetHeader.MatchString(output) {
			what = "does not pass go vet, which go test runs; -vet=off builds it anyway"
		}
		b.fail(Failure{Package: p.path, Side: b.sideName(s), What: what, Output: output})
		return false, nil
	}
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(binary)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // no test files, once build tags are heeded
	} else if err != nil {
		return false, err
	}
	p.binary, p.sum, p.env = binary, sha256.Sum256(text), b.Sides[s].Setting
	return true, nil
}

// vetHeader is what the go command prints above what go vet found: "# [example.com/m]".
var vetHeader = lazyregexp.New(`(?m)^# \[\S+\]$`)

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
