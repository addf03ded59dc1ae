package srcfind

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/git"
)

// pastTime bounds a search in a repository.
const pastTime = 20 * time.Second

// ErrNoModule: a file is in no module that has a repository here. Those of the module cache
// and of GOROOT don't change.
var ErrNoModule = errors.New("it is in no module with a repository here")

// At returns the text that file, a name as found in a profile, had at a revision: a
// commit, a tag, or a version as the go command has it. It looks in the git repositories
// of the modules, and reads only objects that are there.
func (f *Finder) At(ctx context.Context, file, revision string) (*Text, error) {
	if err := checkRevision(revision); err != nil {
		return nil, err
	}
	if len(file) > maxName || f.cfg.Confined && !slices.Contains(cgoSource, filepath.Ext(file)) {
		return nil, errNotServed(file)
	}
	// Others may wait for the same search, so it doesn't end with this request.
	return f.past.get(revision+"\x00"+file, func(string) (*Text, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pastTime)
		defer cancel()
		return f.findAt(ctx, file, revision)
	})
}

// checkRevision accepts the names of commits, tags and versions, and none of git's
// expressions.
func checkRevision(revision string) error {
	bad := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._/+-", r))
	}
	if revision == "" || len(revision) > 200 || revision[0] == '-' || strings.ContainsFunc(revision, bad) || strings.Contains(revision, "..") {
		return fmt.Errorf("invalid revision %.50q: use a commit, a tag or a version", revision)
	}
	return nil
}

func (f *Finder) findAt(ctx context.Context, file, revision string) (*Text, error) {
	var miss error
	tried := map[place]bool{}
	commits := map[string]string{} // by root
	for p := range f.pastPlaces(file) {
		if tried[p] {
			continue
		}
		tried[p] = true
		commit, known := commits[p.root]
		if !known {
			var err error
			if commit, err = commitOf(ctx, p.root, revision); err != nil && (miss == nil || errors.Is(miss, ErrNoModule)) {
				miss = err
			}
			commits[p.root] = commit
		}
		if commit == "" {
			continue
		}
		t, err := f.readAt(ctx, p, commit)
		if err == nil {
			return t, nil
		}
		var stop *foundError
		if errors.As(err, &stop) {
			return nil, stop.err
		}
		if miss == nil {
			miss = fmt.Errorf("%s is not in commit %.12s", filepath.Join(p.root, filepath.FromSlash(p.rel)), commit)
		}
	}
	if miss == nil {
		miss = fmt.Errorf("%s: %w", file, ErrNoModule)
	}
	return nil, miss
}

// pastPlaces yields where a file may be in the modules, whose repositories have its past.
// Other files, as those of the module cache, have none.
func (f *Finder) pastPlaces(file string) iter.Seq[place] {
	name := slashName(file)
	return func(yield func(place) bool) {
		if strings.HasPrefix(name, "<") || strings.Contains(name, "@v") || hasDotDot(name) {
			return
		}
		for _, from := range []func(string) iter.Seq[place]{f.belowModules, f.modulePlaces, f.relativePlaces, f.checkoutPlaces} {
			for p := range from(name) {
				if p.root != "" && p.rel != "" && filepath.IsLocal(filepath.FromSlash(p.rel)) && !yield(p) {
					return
				}
			}
		}
	}
}

// belowModules: an absolute name in the folder of a module.
func (f *Finder) belowModules(name string) iter.Seq[place] {
	return func(yield func(place) bool) {
		for _, m := range f.tree().modules {
			if rel, ok := strings.CutPrefix(name, strings.TrimSuffix(filepath.ToSlash(m.dir), "/")+"/"); ok && !yield(place{m.dir, rel}) {
				return
			}
		}
	}
}

// relativePlaces: a relative name, or what a trim leaves of a name, in the folders of the
// search path.
func (f *Finder) relativePlaces(name string) iter.Seq[place] {
	return func(yield func(place) bool) {
		rel := slashName(f.trimmer.Trim(name))
		if isAbsName(rel) {
			return
		}
		for _, root := range filepath.SplitList(f.searchPath) {
			if !yield(place{root, rel}) {
				return
			}
		}
	}
}

// commitOf returns the full name of a revision in the repository of a folder.
func commitOf(ctx context.Context, dir, revision string) (string, error) {
	prefix, err := git.Run(ctx, dir, nil, nil, "rev-parse", "--show-prefix")
	if errors.Is(err, git.ErrNoRepository) {
		return "", fmt.Errorf("%s: %w", dir, ErrNoModule)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	for _, name := range revisionNames(revision, strings.TrimSuffix(string(prefix), "\n")) {
		if out, err := git.Run(ctx, dir, nil, nil, "rev-parse", "--verify", "--quiet", name+"^{commit}"); err == nil {
			return strings.TrimSpace(string(out)), nil
		}
	}
	return "", fmt.Errorf("the repository of %s doesn't have %.40s: fetch it with git", dir, revision)
}

// revisionNames returns what git may call a revision. prefix is the folder of a module in
// its repository, which the tags of its versions begin with.
func revisionNames(revision, prefix string) []string {
	revision, _, _ = strings.Cut(revision, "+") // as of v2.0.0+incompatible, and 0123abcd+dirty
	names := []string{}
	if isCommit(revision) {
		names = append(names, revision)
	}
	if _, last, ok := cutLast(revision, "-"); ok && len(last) == 12 && isCommit(last) {
		names = append(names, last) // v0.0.0-20060102150405-0123456789ab
	}
	for _, tag := range []string{prefix + revision, revision, "v" + revision} {
		names = append(names, "refs/tags/"+tag)
	}
	return names
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// isCommit reports whether git may take s as the beginning of a commit's name.
func isCommit(s string) bool {
	return len(s) >= 7 && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func (f *Finder) readAt(ctx context.Context, p place, commit string) (*Text, error) {
	object := commit + ":./" + p.rel
	out, err := git.Run(ctx, p.root, nil, nil, "cat-file", "-s", object)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(p.root, filepath.FromSlash(p.rel))
	if size, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64); err != nil || size > f.cfg.MaxBytes {
		return nil, tooLarge(name, f.cfg.MaxBytes)
	}
	if out, err = git.Run(ctx, p.root, nil, nil, "cat-file", "blob", object); err != nil {
		return nil, err
	}
	return &Text{Path: name, Commit: commit, Elsewhere: true, Lines: splitLines(string(out))}, nil
}
