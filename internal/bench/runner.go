package bench

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/workspace"
)

// A runner builds test binaries and runs them.
type runner struct {
	*Bench
	*workspace.Workspace
}

// sideName is what failures call a side: "" if there is only one.
func (r *runner) sideName(s experiment.Side) string {
	if !r.HasBase() {
		return ""
	}
	return s.String()
}

// profileFile is where test binaries write profiles.
func (r *runner) profileFile() string { return filepath.Join(r.Scratch.Path, "profile") }

// buildFlags are those that a package is built with.
func (r *runner) buildFlags(s experiment.Side, p *benchPackage) []string {
	flags := append(slices.Clip(r.BuildFlags), r.Sides[s].Flags...)
	if p.overlay != "" {
		return withOverlay(flags, p.overlay)
	}
	return flags
}

// compile builds the test binary of a package, and returns what the go command prints.
func (r *runner) compile(ctx context.Context, s experiment.Side, p *benchPackage, binary string, flags []string) ([]byte, error) {
	args := append([]string{"test", "-c", "-trimpath", "-buildvcs=false", "-o", binary}, flags...)
	return r.Go(r.Sides[s], append(args, p.path)...).CombinedOutput(ctx)
}

// runBinary runs a package's test binary.
func (r *runner) runBinary(ctx context.Context, p *benchPackage, flags ...string) (*workspace.Outcome, error) {
	return r.runFile(ctx, p, p.binary, flags...)
}

// runFile runs a test binary as go test does, in its package's folder.
func (r *runner) runFile(ctx context.Context, p *benchPackage, binary string, flags ...string) (*workspace.Outcome, error) {
	args := append([]string{binary, "-test.paniconexit0"}, flags...)
	return r.Scratch.Run(ctx, workspace.Process{
		Dir: cmp.Or(p.folder, p.dir), Env: append(slices.Clip(r.Tool.TestEnv), p.env...), Timeout: r.Timeout, Pin: r.Pin, Peak: r.PeakRSS,
		Args: append(args, r.Args...),
	})
}

func output(o *workspace.Outcome) string {
	return workspace.Excerpt(append(append([]byte(nil), o.Stdout...), o.Stderr...), 10, 30)
}

func (r *runner) patterns() []string {
	if len(r.Packages) == 0 {
		return []string{"."}
	}
	return r.Packages
}
