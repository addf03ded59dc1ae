package differ

import (
	"context"
	"slices"

	"github.com/hone-go/hone/internal/gocmd"
)

// A listed package is one that a change can reach, as go list prints it.
type listed struct {
	ImportPath string
	Standard   bool
	GoFiles    []string
	CgoFiles   []string
	Imports    []string
	Module     *struct{ Main bool }
}

// reachable are packages with all that they import, each behind what it imports.
type reachable []listed

func listPackages(ctx context.Context, dir string, flags, packages []string) (reachable, error) {
	args := slices.Concat([]string{"-e", "-deps", "-json=ImportPath,Standard,GoFiles,CgoFiles,Imports,Module"}, flags, []string{"--"}, packages)
	return gocmd.List[listed](ctx, gocmd.Command{Dir: dir, Args: args})
}

// own are the packages of the user's modules.
func (all reachable) own() (paths []string) {
	for _, p := range all {
		if p.Module != nil && p.Module.Main && len(p.GoFiles)+len(p.CgoFiles) > 0 {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths
}

// pure finds the packages that import nothing that acts on files, processes or the network, themselves or through others.
func (all reachable) pure() func(pkg string) bool {
	clean := make(map[string]bool)
	for _, p := range all {
		clean[p.ImportPath] = p.Standard && !Outside(p.ImportPath) || !p.Standard && !slices.ContainsFunc(p.Imports, func(i string) bool { return !clean[i] && i != "unsafe" })
	}
	return func(pkg string) bool { return clean[pkg] }
}
