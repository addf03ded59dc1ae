package workspace

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/hone-go/hone/internal/gocmd"
)

// A GoTool is the go command, the same for both sides.
type GoTool struct {
	Version string
	Work    string   // go.work, "" or "off"
	Flags   string   // GOFLAGS
	Env     []string // for the go command
	TestEnv []string // for test binaries
}

// FlagList returns the flags of GOFLAGS.
func (t GoTool) FlagList() []string { return gocmd.SplitFlags(t.Flags) }

// FindGo asks for the toolchain that the folder's go.mod selects, and ties all
// further go commands to it: another revision's go.mod may ask for another one.
func FindGo(ctx context.Context, dir string) (GoTool, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return GoTool{}, fmt.Errorf("the go command is needed to build benchmarks: %w", err)
	}
	v, err := gocmd.Command{Dir: dir}.Environ(ctx, "GOVERSION", "GOROOT", "GOWORK", "GOFLAGS")
	if err != nil {
		return GoTool{}, err
	}
	t := GoTool{Version: v[0], Work: v[2], Flags: v[3]}
	toolchain := "local"
	if isRelease(t.Version) {
		toolchain = t.Version
	}
	t.Env = []string{"GOTOOLCHAIN=" + toolchain}
	t.TestEnv = []string{"GOROOT=" + v[1]} // as go test does; -trimpath hides it from the binary
	return t, nil
}

// isRelease reports whether a version can be asked for by name.
func isRelease(version string) bool {
	rest, ok := strings.CutPrefix(version, "go1.")
	return ok && strings.Trim(rest, "0123456789.rcbeta") == ""
}
