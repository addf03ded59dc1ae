package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
)

// inspect checks the files of a store before Pebble opens them. It returns an error if Pebble
// would make things worse: create a new store because the markers are missing, or open an old
// state. Problems that can be worked around are recorded. It returns the names of the tables,
// whose parity files have not been checked.
func inspect(r *space) (tables []string, err error) {
	fsys, dir, h := r.FS, r.dir, r.health
	l, err := listFiles(fsys, dir)
	if err != nil || !l.holds() {
		return nil, err
	}
	m, err := readMarkers(r, l)
	if err != nil {
		return nil, fmt.Errorf("the list of its tables is damaged: %w: %w", err, errRepair)
	}
	if m == nil {
		return nil, nil // what a start left that came no further
	}
	if err := sweep(fsys, dir); err != nil {
		return nil, err
	}
	for n, name := range l.parities {
		if l.tables[n] == "" { // a crash came between
			if err := fsys.Remove(fsys.PathJoin(dir, name)); err != nil {
				return nil, err
			}
		}
	}
	for n, name := range l.copies {
		if !slices.Contains(l.manifests, fmt.Sprintf("%s%06d", manifestPrefix, n)) {
			if err := fsys.Remove(fsys.PathJoin(dir, name)); err != nil {
				return nil, err
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
			if err := makeAgain(r, &table{name: file, number: n}, t); err != nil {
				return nil, err
			}
			h.noteCut(file, "it is missing, and what only this table had is lost; an empty table has taken its place")
		case err != nil:
			return nil, err
		case info.Size() != t.size:
			h.noteCut(file, fmt.Sprintf("it has %d bytes, and had %d", info.Size(), t.size))
		}
		tables = append(tables, file)
	}
	// Pebble writes its options again at each start, and those of before are of
	// use to it alone.
	for _, name := range l.options {
		if err := readOptions(fsys, dir, name); err != nil {
			to, e := freeName(fsys, fsys.PathJoin(dir, keptPrefix+name))
			if e = cmp.Or(e, fsys.Rename(fsys.PathJoin(dir, name), to)); e != nil {
				return nil, e
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
			return nil, err
		}
	}
	g, err := findGap(fsys, dir, l, m, mendOne)
	if g != nil {
		err = fmt.Errorf("%w: %w", g, errRepair)
	}
	return tables, err
}

// readMarkers returns the current manifest, nil if there is none yet. Markers are empty files
// whose names say which manifest is current and which format tables have. If markers are
// missing, readMarkers restores them, provided there is no doubt about them.
func readMarkers(r *space, l *listing) (*manifest, error) {
	fsys, dir := r.FS, r.dir
	name, err := currentManifest(fsys, dir)
	if err != nil {
		return nil, err
	}
	missing := func(marker, value string) error {
		r.health.note("marker."+marker, "it is missing, and was written again")
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
