package samecode

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// compile fills in the symbols of the visible units of a side.
func compile(ctx context.Context, run GoCommand, flags, packages []string, units map[string]*unit, visible map[string]bool, names *names) error {
	wanted := make(map[string]*unit)
	// -e: a package without any file but those of tests may be an error. What is missing
	// is found by reading.
	args := append([]string{"list", "-e", "-buildvcs=false", "-export", "-deps", "-test", "-f", "{{.Export}}"}, flags...)
	var paths []string
	for name, u := range units {
		if visible[name] && !u.empty && !isTestMain(name) {
			wanted[name] = u
			// The compiler's flags of an external test are those of its package.
			paths = append(paths, u.path, strings.TrimSuffix(u.path, "_test"))
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		args = append(args, "-gcflags="+path+"=-S=2") // 2: with the ABI of symbols, and what was inlined
	}
	args = append(args, "--")
	for _, path := range packages {
		if units[path+".test"] != nil {
			args = append(args, path)
		}
	}
	l := newListing(wanted, names)
	if _, err := run(ctx, l, args...); err != nil {
		return errors.Join(err, l.close())
	}
	return l.close()
}
