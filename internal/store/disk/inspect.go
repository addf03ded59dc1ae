package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
)

// inspect looks at a store's files before Pebble does. It returns an error where
// Pebble would make things worse: begin a new store in place of one whose markers
// are gone, or one of an earlier time. What it gets over is noted.
func (h *health) inspect(fsys vfs.FS, dir string) error {
	l, err := listFiles(fsys, dir)
	if err != nil || !l.holds() {
		return err
	}
	m, err := h.markers(fsys, dir, l)
	if err != nil {
		return fmt.Errorf("the list of its tables is damaged: %w: %w", err, errRepair)
	}
	if m == nil {
		return nil // what a start left that came no further
	}
	if err := sweep(fsys, dir); err != nil {
		return err
	}
	for n, name := range l.parities {
		if l.tables[n] == "" { // a crash came between
			if err := fsys.Remove(fsys.PathJoin(dir, name)); err != nil {
				return err
			}
		}
	}
	for n, name := range l.copies {
		if !slices.Contains(l.manifests, fmt.Sprintf("%s%06d", manifestPrefix, n)) {
			if err := fsys.Remove(fsys.PathJoin(dir, name)); err != nil {
				return err
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(m.tables)) {
		t := m.tables[n]
		file := fmt.Sprintf("%06d.sst", n)
		info, err := fsys.Stat(fsys.PathJoin(dir, file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			// Pebble has to find a table, and each partition with keys in it what it lost.
			if err := h.makeAgain(fsys, dir, &table{name: file, number: n}, t); err != nil {
				return err
			}
			h.note(file, "it is missing, and what only this table had is lost; an empty one was made in its place")
			h.cut[file] = true
		case err != nil:
			return err
		case info.Size() != t.size:
			h.note(file, fmt.Sprintf("it has %d bytes, and had %d", info.Size(), t.size))
			h.cut[file] = true
		}
		h.unprotected = append(h.unprotected, file)
	}
	// Pebble writes its options again at each start, and those of before are of
	// use to it alone.
	for _, name := range l.options {
		if err := readOptions(fsys, dir, name); err != nil {
			to, e := freeName(fsys, fsys.PathJoin(dir, keptPrefix+name))
			if e = cmp.Or(e, fsys.Rename(fsys.PathJoin(dir, name), to)); e != nil {
				return e
			}
			h.note(name, fmt.Sprintf("it can't be read, was moved to %s, and was written again: %v", fsys.PathBase(to), err))
		}
	}
	mendOne := func(name string, wrong map[int64]byte) error {
		kept, err := mendFile(fsys, dir, name, wrong)
		if err == nil {
			h.note(name, fmt.Sprintf("%s; the original is kept as %s", mendedBits(wrong), kept))
		}
		return err
	}
	if len(m.wrong) > 0 {
		if err := mendOne(m.name, m.wrong); err != nil {
			return err
		}
	}
	g, err := findGap(fsys, dir, l, m, mendOne)
	if g != nil {
		err = fmt.Errorf("%w: %w", g, errRepair)
	}
	return err
}

// markers returns the manifest in force, nil if there is none yet. Markers are names
// of files that tell which it is and how tables are written. If they are missing,
// and there can be no doubt of what they were, they are made again.
func (r *health) markers(fsys vfs.FS, dir string, l *listing) (*manifest, error) {
	name, err := currentManifest(fsys, dir)
	if err != nil {
		return nil, err
	}
	missing := func(marker, value string) error {
		r.note("marker."+marker, "it is missing, and was made again")
		m, _, err := atomicfs.LocateMarker(fsys, dir, marker)
		if err != nil {
			return err
		}
		return cmp.Or(m.Move(value), m.Close())
	}
	if name == "" {
		if len(l.tables) == 0 {
			return nil, nil
		}
		if len(l.manifests) == 0 {
			return nil, errors.New("there is no file MANIFEST-*")
		}
		name = l.manifests[len(l.manifests)-1]
		m := readManifest(fsys, dir, name)
		for n := range m.tables {
			if m.problem == nil && l.tables[n] == "" {
				m.problem = fmt.Errorf("it names %06d.sst, which is missing", n)
			}
		}
		if m.problem != nil {
			return nil, fmt.Errorf("the file marker.manifest.* is missing: %w", m.problem)
		}
		if err := missing("manifest", name); err != nil {
			return nil, err
		}
	}
	m := readManifest(fsys, dir, name)
	if err := m.uncertain(fsys, dir, l); err != nil {
		return nil, err
	}
	version, err := atomicfs.ReadMarker(fsys, dir, "format-version")
	if err == nil && version == "" && len(m.tables) > 0 {
		err = missing("format-version", fmt.Sprintf("%03d", tableFormat))
	}
	return m, err
}
