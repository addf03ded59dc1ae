package prove

import (
	"context"
	"fmt"
	"strings"
)

// A candidate is a state of the code to prove.
type candidate struct {
	name  string
	tree  string
	files []fileChange
}

// A fileChange is a file that differs between the base and a candidate.
type fileChange struct {
	path             string // from the top of the repository
	oldMode, newMode string // "000000" if the file doesn't exist
	oldObject        string
	status           string // "A", "D", "M", "T"
	binary           bool
}

// changes lists the files in which a tree differs from the base.
func (c *scratchCopy) changes(ctx context.Context, tree string) ([]fileChange, error) {
	raw, err := c.git(ctx, nil, nil, "diff", "--raw", "--no-renames", "--no-abbrev", "-z", c.Base, tree)
	if err != nil {
		return nil, err
	}
	counts, err := c.git(ctx, nil, nil, "diff", "--numstat", "--no-renames", "-z", c.Base, tree)
	if err != nil {
		return nil, err
	}
	binary := make(map[string]bool)
	for entry := range strings.SplitSeq(counts, "\x00") {
		if name, ok := strings.CutPrefix(entry, "-\t-\t"); ok {
			binary[name] = true
		}
	}
	var all []fileChange
	for fields := strings.Split(raw, "\x00"); len(fields) > 1; fields = fields[2:] {
		// ":100644 100755 OBJECT OBJECT M", then the path
		meta := strings.Fields(strings.TrimPrefix(fields[0], ":"))
		if len(meta) != 5 {
			return nil, fmt.Errorf("git diff --raw printed %q", fields[0])
		}
		all = append(all, fileChange{fields[1], meta[0], meta[1], meta[2], meta[4], binary[fields[1]]})
	}
	return all, nil
}

// isTest reports whether a file belongs to tests.
func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.Contains("/"+name, "/testdata/")
}
