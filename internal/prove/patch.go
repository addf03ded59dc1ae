package prove

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/git"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// A patch is text from anybody. git applies it to an index, so that it writes no file, and
// refuses paths that leave the repository, lead into .git or through a symbolic link. What it
// made is looked at before any of it is written: see refuse.

// applyPatch returns the tree of the base with a patch.
func (c *scratchCopy) applyPatch(ctx context.Context, s source) (string, error) {
	if len(strings.TrimSpace(string(s.patch))) == 0 {
		return "", fmt.Errorf("%s is empty: give a patch as git diff prints it", s.name)
	}
	if name, ok := binaryFile(s.patch); ok {
		return "", refused(s.name, name, "is a binary file")
	}
	env, done, err := c.index(ctx, c.Base)
	defer done()
	if err != nil {
		return "", err
	}
	// git diff has paths from the top of the repository. diff -u and git diff --relative have
	// those of the module.
	folders := []string{""}
	if c.prefix != "" {
		folders = append(folders, c.prefix)
	}
	var first error
	for _, folder := range folders {
		args := []string{"apply", "--cached", "--whitespace=nowarn"}
		if folder != "" {
			args = append(args, "--directory="+strings.TrimSuffix(folder, "/"))
		}
		_, err := c.git(ctx, env, s.patch, append(args, "-")...)
		if err == nil {
			return c.git(ctx, env, nil, "write-tree")
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if first == nil || missingFile.MatchString(first.Error()) {
			first = err // of the folder that has the files
		}
	}
	return "", fmt.Errorf("%s doesn't apply to %s: %s", s.name, c.Name, notApplied(s.patch, first))
}

// binaryFile returns the first file that a patch has compressed data for. git isn't asked to unpack
// it: a few megabytes may become many gigabytes.
func binaryFile(patch []byte) (name string, ok bool) {
	for text := range strings.Lines(string(patch)) {
		text = strings.TrimRight(text, "\r\n")
		if names, ok := strings.CutPrefix(text, "diff --git "); ok {
			_, name, _ = strings.Cut(names, " b/")
		}
		if text == "GIT binary patch" { // lines of hunks begin with a blank, a sign or a backslash
			return name, true
		}
	}
	return "", false
}

// refused is the error for a file that a patch may not change.
func refused(name, file, why string) error {
	return fmt.Errorf("%s is refused: %q %s, and a patch may only change text files of the module", name, file, why)
}

var (
	missingFile = lazyregexp.New(`: does not exist in index$`)
	failedHunk  = lazyregexp.New(`^patch failed: (.+):(\d+)$`)
	corruptLine = lazyregexp.New(`^corrupt patch at (?:<stdin>:|line )(\d+)$`)
)

// notApplied says why git doesn't apply a patch, with the file and the hunk.
func notApplied(patch []byte, err error) string {
	text := err.Error()
	if failed := new(git.Error); errors.As(err, &failed) {
		text = strings.TrimPrefix(failed.Text, "error: ")
	}
	if m := failedHunk.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("%s has other lines at hunk %s", m[1], hunkAt(patch, m[1], line))
	}
	if m := corruptLine.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("the patch is damaged at line %s of it: a hunk has fewer or more lines than its @@ line says", m[1])
	}
	return text
}

// hunkAt is the @@ line of a file's hunk that begins at a line of the base.
func hunkAt(patch []byte, file string, line int) string {
	inFile := false
	for text := range strings.Lines(string(patch)) {
		text = strings.TrimRight(text, "\r\n")
		switch {
		case strings.HasPrefix(text, "--- "), strings.HasPrefix(text, "+++ "), strings.HasPrefix(text, "diff --git "):
			name, _, _ := strings.Cut(text, "\t")
			inFile = strings.HasSuffix(name, "/"+path.Base(file))
		case inFile && strings.HasPrefix(text, fmt.Sprintf("@@ -%d,", line)), inFile && strings.HasPrefix(text, fmt.Sprintf("@@ -%d ", line)):
			return strconv.Quote(text)
		}
	}
	return fmt.Sprintf("at line %d", line)
}

const (
	linkMode      = "120000"
	submoduleMode = "160000"
)

// refuse names what a patch may not change.
func (c *scratchCopy) refuse(name string, files []fileChange) error {
	for _, f := range files {
		why := ""
		switch {
		case f.newMode == linkMode || f.oldMode == linkMode:
			why = "is a symbolic link"
		case f.newMode == submoduleMode || f.oldMode == submoduleMode:
			why = "is a submodule"
		case !strings.HasPrefix(f.path, c.prefix):
			why = "is outside of the module"
		case path.Base(f.path) == ".gitattributes" || path.Base(f.path) == ".gitmodules":
			why = "configures git"
		case f.binary:
			why = "is a binary file"
		}
		if why != "" {
			return refused(name, f.path, why)
		}
	}
	return nil
}
