package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/workspace"
)

// dataChanged returns the files that differ and that a benchmark may read but that are not
// in its binary, but for those that are one side's on both. Without a revision both sides
// are of one folder.
func dataChanged(ctx context.Context, rev *workspace.Base, dir string, shared []string) ([]workspace.FileChange, error) {
	if rev == nil {
		return nil, nil
	}
	return rev.DataChanged(ctx, dir, shared)
}

// A testDiff is how the tests of a package differ between the sides.
type testDiff struct {
	names []string  // for people: "decode_test.go", "testdata/"
	dirs  [2]string // of the package
	roots [2]string // of the repository, as each side has it; the package's folder is in it
	rel   string    // the package's folder in there
	// replace has, for the side that borrows, what stands for which file: an overlay.
	replace [2]map[string]string
	data    bool            // testdata differs
	unlike  map[string]bool // what differs in testdata, by its name in there
}

const testdata = "testdata"

// compareTests compares the files of a package's tests, those that they embed, and
// testdata. nil: they are the same, or not of the repository.
func (m *builder) compareTests(own [2]*benchPackage, rev *workspace.Base) (*testDiff, error) {
	h, b := own[experiment.Head], own[experiment.Base]
	if rev == nil || b == nil && h.hasCode {
		return nil, nil
	}
	d := &testDiff{roots: [2]string{m.Sides[experiment.Base].Top, m.Sides[experiment.Head].Top}}
	real, err := filepath.EvalSymlinks(h.dir)
	if err != nil || !workspace.Inside(real, d.roots[experiment.Head]) {
		return nil, nil
	}
	if d.rel, err = filepath.Rel(d.roots[experiment.Head], real); err != nil {
		return nil, err
	}
	d.dirs = [2]string{experiment.Base: filepath.Join(d.roots[experiment.Base], d.rel), experiment.Head: h.dir}
	there := d.dirs[experiment.Base] // or the nearest folder above
	if b != nil {
		there = b.dir
		d.dirs[experiment.Base] = b.dir
	}
	for !infile.Exists(there) && workspace.Inside(there, d.roots[experiment.Base]) {
		there = filepath.Dir(there)
	}
	// A link out of the repository leads to the same files, which are not ours.
	if real, err = filepath.EvalSymlinks(there); err != nil {
		return nil, nil
	} else if root, err := filepath.EvalSymlinks(d.roots[experiment.Base]); err != nil || !workspace.Inside(real, root) {
		return nil, nil
	}
	d.unlike = make(map[string]bool)
	if err := compareTrees(filepath.Join(d.dirs[experiment.Base], testdata), filepath.Join(d.dirs[experiment.Head], testdata), "", d.unlike, true); err != nil {
		return nil, err
	}
	d.data = len(d.unlike) > 0

	names := make(map[string]bool)
	for _, p := range own {
		if p == nil {
			continue
		}
		for _, name := range p.tests {
			names[name] = true
		}
		for _, dir := range d.dirs { // what a pattern means depends on what there is
			if err := addEmbedded(names, dir, p.embeds); err != nil {
				return nil, err
			}
		}
	}
	for s := range own {
		d.replace[s] = make(map[string]string)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var files [2]string // what is read for the name; "" where it is not there
		for s := range own {
			files[s] = m.actual(experiment.Side(s), filepath.Join(d.dirs[s], filepath.FromSlash(name)))
		}
		same, err := sameText(files[0], files[1])
		if err != nil {
			return nil, err
		}
		if same {
			continue
		}
		for s, p := range own {
			if p == nil || !slices.Contains(p.codeEmbeds, name) { // else it is the code's
				d.replace[s][filepath.Join(d.dirs[s], filepath.FromSlash(name))] = files[1-s]
			}
		}
		if !strings.HasPrefix(name, testdata+"/") {
			d.names = append(d.names, name)
		}
	}
	if d.data {
		d.names = append(d.names, testdata+"/")
	}
	if len(d.names) == 0 {
		return nil, nil
	}
	return d, nil
}

// addEmbedded adds the names of files in a package's folder that patterns of go:embed
// match, with those that the go command leaves out in folders.
func addEmbedded(names map[string]bool, dir string, patterns []string) error {
	files := os.DirFS(dir)
	for _, pattern := range patterns {
		found, err := fs.Glob(files, strings.TrimPrefix(pattern, "all:"))
		if err != nil {
			continue // the compiler says so
		}
		for _, at := range found {
			err := fs.WalkDir(files, at, func(name string, e fs.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() {
					names[name] = true
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// actual returns what the go command reads for a file, "" if there is none: the user's
// overlay may say otherwise than the disk.
func (b *builder) actual(s experiment.Side, file string) string {
	if instead, ok := b.overlays[s][file]; ok {
		return instead
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return file
}

// sameText compares two files, "" for none.
func sameText(a, b string) (bool, error) {
	if a == "" || b == "" {
		return a == b, nil
	}
	ai, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	bi, err := os.Stat(b)
	if err != nil {
		return false, err
	}
	if ai.Size() != bi.Size() {
		return false, nil
	}
	af, err := infile.Open(a)
	if err != nil {
		return false, err
	}
	defer af.Close()
	bf, err := infile.Open(b)
	if err != nil {
		return false, err
	}
	defer bf.Close()
	x, y := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, errA := io.ReadFull(af, x)
		k, errB := io.ReadFull(bf, y)
		if !bytes.Equal(x[:n], y[:k]) {
			return false, nil
		}
		if errA != nil || errB != nil {
			if isEnd(errA) && isEnd(errB) {
				return true, nil
			}
			return false, errors.Join(errA, errB)
		}
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// compareTrees adds the names of what differs in two folders, or on one side alone, to
// unlike. A symbolic link is its text, and what it leads to, as long as that is no
// further folder with links: where one leads out of testdata, the same text may mean
// other files.
func compareTrees(a, b, name string, unlike map[string]bool, follow bool) error {
	ai, errA := os.Lstat(a)
	bi, errB := os.Lstat(b)
	switch {
	case errors.Is(errA, fs.ErrNotExist) && errors.Is(errB, fs.ErrNotExist):
		return nil
	case errors.Is(errA, fs.ErrNotExist), errors.Is(errB, fs.ErrNotExist):
		unlike[name] = true
		return nil
	case errA != nil || errB != nil:
		return errors.Join(errA, errB)
	case ai.Mode().Type() != bi.Mode().Type():
		unlike[name] = true
		return nil
	}
	switch ai.Mode().Type() {
	case 0:
		same, err := sameText(a, b)
		if err == nil && !same {
			unlike[name] = true
		}
		return err
	case fs.ModeDir:
		names := make(map[string]bool)
		for _, dir := range []string{a, b} {
			entries, err := os.ReadDir(dir)
			if err != nil {
				return err
			}
			for _, e := range entries {
				names[e.Name()] = true
			}
		}
		for e := range names {
			if err := compareTrees(filepath.Join(a, e), filepath.Join(b, e), strings.TrimPrefix(name+"/"+e, "/"), unlike, follow); err != nil {
				return err
			}
		}
	case fs.ModeSymlink:
		ta, errA := os.Readlink(a)
		tb, errB := os.Readlink(b)
		if errA != nil || errB != nil || ta != tb {
			unlike[name] = true
			return errors.Join(errA, errB)
		}
		ra, errA := filepath.EvalSymlinks(a)
		rb, errB := filepath.EvalSymlinks(b)
		behind := make(map[string]bool)
		switch {
		case errA != nil && errB != nil, ra == rb, !follow:
			return nil
		case errA != nil || errB != nil:
			behind[name] = true
		default:
			if err := compareTrees(ra, rb, "", behind, false); err != nil {
				return err
			}
		}
		if len(behind) > 0 {
			unlike[name] = true
		}
	}
	return nil
}

// runFolder makes a folder in which a side's package has the other's testdata, and
// returns the package's place in it. All else are links to the side's own files, also
// in the folders above, up to the top of the repository:
//
//	run/base/3/go.mod           → base/go.mod
//	run/base/3/json/decode.go   → base/json/decode.go
//	run/base/3/json/testdata/…  the head's
//
// Testdata are files, not links, since programs that walk folders tell them apart.
// Those of the base are hard links, as all of it is ours; those of the head are copied
// where they differ.
func (d *testDiff) runFolder(borrower experiment.Side, to string) (string, error) {
	if err := os.RemoveAll(to); err != nil {
		return "", err
	}
	var parts []string
	if d.rel != "." {
		parts = strings.Split(d.rel, string(filepath.Separator))
	}
	from := d.roots[borrower]
	for i := 0; ; i++ {
		next := testdata
		if i < len(parts) {
			next = parts[i]
		}
		if err := linkEntries(from, to, next); err != nil {
			return "", err
		}
		if i == len(parts) {
			break
		}
		from, to = filepath.Join(from, next), filepath.Join(to, next)
	}
	lent := filepath.Join(d.dirs[1-borrower], testdata)
	return to, d.place(lent, filepath.Join(to, testdata), "", borrower)
}

// linkEntries makes a folder of links to what is in another, but for one name, and git's
// own folder.
func linkEntries(from, to, but string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the base may not have it
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == but || e.Name() == ".git" {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// place puts one side's testdata where the other will read them.
func (d *testDiff) place(from, to, name string, borrower experiment.Side) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	switch info.Mode().Type() {
	case 0:
		ours := filepath.Join(d.dirs[experiment.Base], testdata, filepath.FromSlash(name))
		if (borrower == experiment.Head || !d.unlikeAbove(name)) && os.Link(ours, to) == nil {
			return nil
		}
		return copyFile(from, to, info.Mode().Perm())
	case fs.ModeDir:
		if err := os.Mkdir(to, 0o700); err != nil {
			return err
		}
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := d.place(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()), strings.TrimPrefix(name+"/"+e.Name(), "/"), borrower); err != nil {
				return err
			}
		}
	case fs.ModeSymlink:
		text, err := os.Readlink(from)
		if err != nil {
			return err
		}
		// What lies in testdata comes along; elsewhere it is the lender's.
		if target := filepath.Join(filepath.Dir(from), text); name == "" || filepath.IsAbs(text) || !workspace.Inside(target, filepath.Join(d.dirs[1-borrower], testdata)) {
			if text, err = filepath.EvalSymlinks(from); err != nil {
				return nil // it leads nowhere
			}
		}
		return os.Symlink(text, to)
	}
	return nil
}

// unlikeAbove reports whether a file of testdata differs, or a folder it is in does.
func (d *testDiff) unlikeAbove(name string) bool {
	for !d.unlike[name] {
		if name == "" {
			return false
		}
		i := strings.LastIndexByte(name, '/')
		name = name[:max(i, 0)]
	}
	return true
}

func copyFile(from, to string, perm fs.FileMode) error {
	in, err := infile.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
