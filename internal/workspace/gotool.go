package workspace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// A GoTool is the go command, the same for both sides.
type GoTool struct {
	Path    string
	Version string
	Work    string   // go.work, "" or "off"
	Flags   string   // GOFLAGS
	Env     []string // for the go command
	TestEnv []string // for test binaries
}

// FlagList returns the flags of GOFLAGS, in which spaces separate them and either kind of
// quotes keeps one together.
func (t GoTool) FlagList() []string {
	var flags []string
	for rest := strings.TrimSpace(t.Flags); rest != ""; rest = strings.TrimSpace(rest) {
		end := " "
		if rest[0] == '\'' || rest[0] == '"' {
			end, rest = rest[:1], rest[1:]
		}
		var f string
		f, rest, _ = strings.Cut(rest, end)
		flags = append(flags, f)
	}
	return flags
}

// FindGo asks for the toolchain that the folder's go.mod selects, and ties all
// further go commands to it: another revision's go.mod may ask for another one.
func FindGo(ctx context.Context, dir string) (GoTool, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return GoTool{}, fmt.Errorf("the go command is needed to build benchmarks: %w", err)
	}
	cmd := exec.CommandContext(ctx, path, "env", "GOVERSION", "GOROOT", "GOWORK", "GOFLAGS")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return GoTool{}, fmt.Errorf("go env: %s", cmp.Or(FirstLine(stderr.Bytes()), err.Error()))
	}
	v := strings.Split(strings.ReplaceAll(string(out), "\r", ""), "\n")
	if len(v) < 4 {
		return GoTool{}, fmt.Errorf("go env prints %q", out)
	}
	t := GoTool{Path: path, Version: v[0], Work: v[2], Flags: v[3]}
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
