package scaffold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/git"
	"github.com/hone-go/hone/internal/gocmd"
)

// A Module is a module or workspace to set up.
type Module struct {
	Dir      string   // absolute
	File     string   // go.mod or go.work
	Packages []string // patterns of all packages: ./...
	// Repository is the root of the git repository relative to Dir, or "" without one.
	Repository string
	Remote     string // URL of origin; "" if there is none
}

// ErrNoModule is the error of FindModule outside of modules.
var ErrNoModule = errors.New("no go.mod here or above: run go mod init first")

// FindModule finds the module or workspace of a folder. A workspace is where its go.work is.
func FindModule(ctx context.Context, dir string) (*Module, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	m := &Module{Packages: []string{"./..."}}
	for ; m.File == ""; dir = filepath.Dir(dir) {
		for _, name := range []string{"go.work", "go.mod"} {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
				m.Dir, m.File = dir, name
				break
			}
		}
		if filepath.Dir(dir) == dir && m.File == "" {
			return nil, ErrNoModule
		}
	}
	if m.File == "go.work" {
		if m.Packages, err = workspacePackages(ctx, filepath.Join(m.Dir, m.File)); err != nil {
			return nil, err
		}
	}
	if top, err := git.Run(ctx, m.Dir, nil, nil, "rev-parse", "--show-cdup"); err == nil {
		m.Repository = filepath.Clean(strings.TrimSpace(string(top)))
		if remote, err := git.Run(ctx, m.Dir, nil, nil, "config", "--get", "remote.origin.url"); err == nil {
			m.Remote = strings.TrimSpace(string(remote))
		}
	}
	return m, nil
}

// workspacePackages returns a pattern for each module of a workspace that is below it.
func workspacePackages(ctx context.Context, file string) (patterns []string, err error) {
	out, err := gocmd.Command{Dir: filepath.Dir(file), Args: []string{"work", "edit", "-json", file}}.Output(ctx)
	if err != nil {
		return nil, err
	}
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(out, &work); err != nil {
		return nil, fmt.Errorf("go work edit -json: %w", err)
	}
	for _, use := range work.Use {
		if at := filepath.ToSlash(filepath.Clean(use.DiskPath)); filepath.IsLocal(filepath.FromSlash(at)) && !strings.ContainsAny(at, " \t'\"$`\\;&|<>*?(){}[]#:") {
			patterns = append(patterns, "./"+strings.TrimPrefix(at+"/...", "./"))
		}
	}
	if len(patterns) == 0 {
		return nil, errors.New("go.work uses no module of its folder: run hone init in a module")
	}
	return patterns, nil
}

// CI guesses the service from the remote; NoCI if it can't.
func (m *Module) CI() CI {
	host := strings.ToLower(remoteHost(m.Remote))
	switch {
	case host == "github.com" || strings.HasPrefix(host, "github."):
		return GitHub
	case host == "gitlab.com" || strings.HasPrefix(host, "gitlab."):
		return GitLab
	}
	return NoCI
}

// remoteHost returns the host of a URL, or of git@host:path.
func remoteHost(remote string) string {
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil {
			return ""
		}
		return u.Hostname()
	}
	before, _, ok := strings.Cut(remote, ":")
	if !ok || strings.Contains(before, "/") {
		return ""
	}
	return before[strings.LastIndex(before, "@")+1:]
}
