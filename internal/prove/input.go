package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/infile"
)

// A request is what the command line asks to prove.
type request struct {
	base       string // what the candidates change
	candidates []source
}

// A source is where a candidate comes from: a patch, a revision, or with neither the working
// tree.
type source struct {
	name     string
	patch    []byte
	isPatch  bool
	revision string
}

// WorkingTree names the candidate that has the uncommitted changes.
const WorkingTree = "working tree"

const stdinName = "stdin"

// maxPatch limits a patch. The largest patches that people review have some megabytes.
const maxPatch = 16 << 20

// readRequest reads arguments: patches, "-" for standard input, and REF..REF. Without any,
// the working tree is meant. base is the value of -base, or "".
func readRequest(ctx context.Context, args []string, base string, stdin io.Reader) (*request, error) {
	r := &request{base: base}
	if len(args) == 0 {
		r.candidates = []source{{name: WorkingTree}}
	}
	for _, arg := range args {
		s, from, err := readSource(ctx, arg, stdin)
		if err != nil {
			return nil, err
		}
		if from != "" {
			if r.base != "" && r.base != from {
				return nil, fmt.Errorf("%s starts at %s, but another base is %s: give all candidates the same base", arg, from, r.base)
			}
			r.base = from
		}
		if slices.ContainsFunc(r.candidates, func(o source) bool { return o.name == s.name }) {
			s.name = arg // two folders have a file of this name
		}
		if slices.ContainsFunc(r.candidates, func(o source) bool { return o.name == s.name || arg == "-" && o.name == stdinName }) {
			return nil, fmt.Errorf("%s is given twice", arg)
		}
		r.candidates = append(r.candidates, s)
	}
	r.base = cmp.Or(r.base, "HEAD")
	return r, nil
}

// readSource reads an argument. from is the base that it names, or "".
func readSource(ctx context.Context, arg string, stdin io.Reader) (s source, from string, err error) {
	switch {
	case arg == "-":
		text, err := io.ReadAll(io.LimitReader(stdin, maxPatch+1))
		if err == nil && len(text) > maxPatch {
			err = fmt.Errorf("the patch on standard input has more than %d MB", maxPatch>>20)
		}
		return source{name: stdinName, patch: text, isPatch: true}, "", err
	case !infile.Exists(arg) && isRange(arg):
		from, to, _ := strings.Cut(arg, "..")
		return source{name: arg, revision: cmp.Or(to, "HEAD")}, cmp.Or(from, "HEAD"), nil
	}
	text, err := infile.ReadFile(ctx, arg, maxPatch)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("no file %s: give a patch, REF..REF, or - for a patch on standard input", arg)
	}
	return source{name: filepath.Base(arg), patch: text, isPatch: true}, "", err
}

// isRange tells main..topic from a path such as ../topic.patch.
func isRange(arg string) bool {
	from, to, ok := strings.Cut(arg, "..")
	return ok && from+to != "" && !strings.HasSuffix(from, "/") && !strings.ContainsAny(to[:min(1, len(to))], `./\`)
}
