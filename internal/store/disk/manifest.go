package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// hone reads Pebble's manifest for two reasons: to know which tables a store should have, and
// because Pebble can't tell a truncated manifest from one that a crash cut short. It would
// continue with the tables of an earlier time and delete those in the missing part.

// A manifest is the decoded content of a manifest file.
type manifest struct {
	name    string
	tables  map[uint64]tableInfo // live ones, by number
	minLog  uint64               // number of the first log that is not in tables
	lastSeq uint64               // the last number that was given to a change
	// problem is why the rest of it can't be read, nil if all of it was. It is torn
	// where the file ends in the midst of it.
	problem error
	torn    bool
	wrong   map[int64]byte // what was put right of it; see chunkReader
}

// A tableInfo is what a manifest says about a table.
type tableInfo struct {
	level       uint64
	size        int64
	first, last []byte // bounds of its keys
}

// readManifest reads as much as it can of a manifest.
func readManifest(fsys vfs.FS, dir, name string) *manifest {
	m := &manifest{name: name, tables: map[uint64]tableInfo{}}
	f, err := fsys.Open(fsys.PathJoin(dir, name))
	if err != nil {
		m.problem = err
		return m
	}
	defer f.Close()
	r := newChunkReader(f, 0)
	defer func() { m.wrong = r.wrong }()
	edits := 0
	for ; ; edits++ {
		b, err := r.next()
		if r.bad >= 0 {
			m.torn = err == io.EOF && endsWithin(f, r.bad)
			err = fmt.Errorf("byte %d: it can't be read from there on", r.bad)
		} else if err == io.EOF {
			break
		}
		var e *listEdit
		if err == nil {
			e, err = readEdit(b)
		}
		if err != nil {
			m.problem = fmt.Errorf("%s: %w", name, err)
			return m
		}
		m.apply(e)
	}
	if edits == 0 {
		m.problem = fmt.Errorf("%s is empty", name)
	}
	return m
}

// endsWithin reports whether a file ends in the middle of the chunk at an offset.
func endsWithin(f vfs.File, at int64) bool {
	info, err := f.Stat()
	if err != nil || info.Size()-at < chunkHeader {
		return err == nil
	}
	var header [chunkHeader]byte
	if _, err := f.ReadAt(header[:], at); err != nil {
		return false
	}
	return at+chunkHeader+int64(binary.LittleEndian.Uint16(header[4:])) > info.Size()
}

// Tags of what is in an edit of a manifest, which is a list of
//
//	tag                                   varint
//	1   string                            order of keys
//	2   varint                            first log that is not in tables
//	3   varint                            next number of a file
//	4   varint                            last sequence number
//	6   level number                      a table goes
//	103 level number size first last lowest highest (custom string)* 1
//	                                      a table comes: the bounds of its keys, and of its sequence numbers
const (
	tagComparer  = 1
	tagLog       = 2
	tagNextFile  = 3
	tagLastSeq   = 4
	tagGone      = 6
	tagTable     = 103
	customEnd    = 1
	customUnsafe = 1 << 6 // from here on they can't be skipped
	keyTrailer   = 8      // bytes behind a key: sequence number and kind
)

// errForeign is the error of an edit with contents that hone's stores never have.
var errForeign = errors.New("it says what hone's stores don't have")

// A listPlace is a table with its level. Tables may move to another level.
type listPlace struct{ level, number uint64 }

// A listEdit is a decoded edit of a manifest.
type listEdit struct {
	gone            map[listPlace]bool
	come            map[listPlace]tableInfo
	minLog, lastSeq uint64 // 0 if it doesn't say
}

func readEdit(b []byte) (*listEdit, error) {
	r := format.NewReader(b)
	e := &listEdit{gone: map[listPlace]bool{}, come: map[listPlace]tableInfo{}}
	for r.Left() > 0 && r.Err() == nil {
		switch tag := r.Uvarint(); tag {
		case tagComparer:
			r.Bytes(r.Count(1))
		case tagLog:
			e.minLog = r.Uvarint()
		case tagNextFile:
			r.Uvarint()
		case tagLastSeq:
			e.lastSeq = r.Uvarint()
		case tagGone:
			e.gone[listPlace{r.Uvarint(), r.Uvarint()}] = true
		case tagTable:
			at := listPlace{r.Uvarint(), r.Uvarint()}
			t := tableInfo{level: at.level, size: int64(r.Uvarint())}
			for _, key := range []*[]byte{&t.first, &t.last} {
				k := r.Bytes(r.Count(1))
				*key = bytes.Clone(k[:max(len(k)-keyTrailer, 0)])
			}
			r.Uvarint()
			r.Uvarint()
			for custom := r.Uvarint(); custom != customEnd && r.Err() == nil; custom = r.Uvarint() {
				if custom >= customUnsafe {
					return nil, errForeign
				}
				r.Bytes(r.Count(1))
			}
			e.come[at] = t
		default:
			return nil, errForeign
		}
	}
	return e, r.Err()
}

// apply applies an edit.
func (m *manifest) apply(e *listEdit) {
	m.minLog = max(m.minLog, e.minLog)
	m.lastSeq = max(m.lastSeq, e.lastSeq)
	// A table that moves between levels goes from one and comes to the other.
	for at := range e.gone {
		if t, ok := m.tables[at.number]; ok && t.level == at.level {
			delete(m.tables, at.number)
		}
	}
	for at, t := range e.come {
		m.tables[at.number] = t
	}
}

// remains is what damaged manifests say and what is true whatever the unreadable parts said.
type remains struct {
	gone   map[uint64]bool // tables that were replaced, by number
	minLog uint64          // logs below this number are in tables
}

// readRemains reads as much as it can of all manifests of a store, also after damage.
func readRemains(fsys vfs.FS, dir string, l *listing) (*remains, error) {
	x := &remains{gone: map[uint64]bool{}}
	for _, name := range l.manifests {
		f, err := fsys.Open(fsys.PathJoin(dir, name))
		if err != nil {
			return nil, err
		}
		for r := newChunkReader(f, 0); ; {
			b, err := r.next()
			if err != nil {
				break
			}
			e, err := readEdit(b)
			if err != nil {
				continue
			}
			x.minLog = max(x.minLog, e.minLog)
			moved := map[uint64]bool{}
			for at := range e.come {
				moved[at.number] = true
			}
			for at := range e.gone {
				x.gone[at.number] = x.gone[at.number] || !moved[at.number]
			}
		}
		f.Close()
	}
	return x, nil
}

// uncertain returns why the manifest may not list all tables of the store, nil if it does. An
// incomplete edit at the end, left by a crash, doesn't matter: it had not taken effect, and the
// logs from before it still exist. A manifest that was cut between two edits looks complete;
// tables that it doesn't list show the cut.
func (m *manifest) uncertain(fsys vfs.FS, dir string, l *listing) error {
	var missing, unnamed []uint64
	for n := range m.tables {
		if l.tables[n] == "" {
			missing = append(missing, n)
		}
	}
	for n := range l.tables {
		if _, ok := m.tables[n]; !ok {
			unnamed = append(unnamed, n)
		}
	}
	problem := m.problem
	if problem == nil {
		if len(unnamed) == 0 {
			return nil // a table that is missing was lost
		}
		problem = fmt.Errorf("%s doesn't name %06d.sst", m.name, slices.Max(unnamed))
	}
	if len(missing) > 0 || m.problem != nil && len(m.tables) == 0 && m.minLog == 0 || !m.covers(fsys, dir, l) {
		return problem
	}
	return nil
}

// firstSeq is the sequence number of the first change of a store.
const firstSeq = 10

// covers reports whether the manifest has all edits: the logs continue without a gap where it
// ends, and unlisted tables have nothing newer than the logs.
func (m *manifest) covers(fsys vfs.FS, dir string, l *listing) bool {
	next := max(m.lastSeq+1, firstSeq)
	goOn := l.logs[m.minLog] != "" // logs are known to go on where the edits end
	if !goOn && m.problem != nil && !m.torn {
		return false
	}
	for _, n := range l.live(m) {
		f, err := fsys.Open(fsys.PathJoin(dir, l.logs[n]))
		if err != nil {
			return false
		}
		for r := newChunkReader(f, n); ; {
			batch, err := r.next()
			if err != nil || r.bad >= 0 {
				break
			}
			vs, after, err := readBatch(batch)
			if err != nil || len(vs) > 0 && vs[0].seq > next {
				f.Close()
				return false
			}
			next, goOn = max(next, after), goOn || len(vs) > 0
		}
		f.Close()
	}
	for n, name := range l.tables {
		if _, named := m.tables[n]; named {
			continue
		}
		// One that a crash left without its end has nothing that isn't in the logs.
		t, err := openTable(fsys, dir, name, func(string) {}, func(string) {})
		if err == nil && (t.maxSeq >= next || !goOn && len(m.tables) == 0) {
			return false
		}
	}
	return true
}

// live returns the numbers of the logs whose contents are not in tables, sorted.
func (l *listing) live(m *manifest) []uint64 {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(l.logs)), func(n uint64) bool { return n < m.minLog })
}
