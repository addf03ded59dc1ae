package disk

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hone-go/hone/internal/store/disk/format"
)

// rawFiles reads the files of a store without Pebble, which reads all of them or none. For each
// key, the version with the highest sequence number counts, in whatever table or log it is.
// Unreadable data is treated as if it had never been written.
//
// It keeps in memory the bounds of the tables' blocks, about 130 bytes for every 32 KiB, and
// what is only in logs.
type rawFiles struct {
	tables []*table
	log    []version // by key, the newest first
	tombs  []tomb    // without overlaps, by start
	report func(problem string)
	// lossy is set where keys can't be read and nothing tells which they were.
	lossy bool
}

// lose reports that keys can't be read.
func (x *rawFiles) lose(problem string) {
	x.lossy = true
	x.report(problem)
}

// readFiles reads all files of a store and reports problems with them.
func readFiles(ctx context.Context, fsys vfs.FS, dir string, report func(problem string)) (*rawFiles, error) {
	l, err := listFiles(fsys, dir)
	if err != nil {
		return nil, err
	}
	x := &rawFiles{report: report}
	var m *manifest
	name, err := currentManifest(fsys, dir)
	if err == nil && name != "" {
		m = readManifest(fsys, dir, name)
		if len(m.wrong) > 0 {
			report(name + ": " + mendedBits(m.wrong))
		}
		if err = m.uncertain(fsys, dir, l); err != nil {
			if c := readCopy(fsys, dir, name, l); c != nil {
				report(fmt.Sprintf("the list of tables is damaged, and its copy is read instead: %v", err))
				m, err = c, nil
			}
		}
	}
	switch {
	case err != nil:
		report(fmt.Sprintf("the list of tables is not reliable: %v", err))
		m = nil
	case name == "" && !l.holds():
		return nil, fmt.Errorf("no store in %s", dir)
	case name == "":
		report("the list of tables is unknown: the file marker.manifest.* is missing")
	}
	for _, name := range l.options {
		if err := readOptions(fsys, dir, name); err != nil {
			report(fmt.Sprintf("%s: %v", name, err))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(l.parities)) {
		if _, _, err := readParity(fsys, fsys.PathJoin(dir, l.parities[n])); err != nil {
			report(fmt.Sprintf("%s: %v; no data is lost", l.parities[n], err))
		}
	}
	var numbers []uint64
	var minLog uint64
	if m != nil {
		numbers, minLog = slices.Sorted(maps.Keys(m.tables)), m.minLog
	} else {
		// A table that was replaced may have a version of a key that looks newer than the one
		// that replaced it: Pebble takes the number away from a version that is the last one.
		left, err := readRemains(fsys, dir, l)
		if err != nil {
			return nil, err
		}
		numbers, minLog = slices.DeleteFunc(slices.Sorted(maps.Keys(l.tables)), func(n uint64) bool { return left.gone[n] }), left.minLog
	}
	for _, n := range numbers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l.tables[n] == "" {
			x.lose(fmt.Sprintf("%06d.sst is missing, with keys from %s to %s", n, format.KeyName(m.tables[n].first), format.KeyName(m.tables[n].last)))
			continue
		}
		t, err := openTable(fsys, dir, l.tables[n], x.lose, x.report)
		if err != nil {
			x.lose(fmt.Sprintf("%s: %v", l.tables[n], err))
			continue
		}
		t.number = n
		if m != nil {
			t.level = int(m.tables[n].level)
		}
		x.tables = append(x.tables, t)
	}
	if m != nil && len(l.live(m)) == 0 {
		x.lose(fmt.Sprintf("the log is missing: there is no file *.log with the number %d or a higher one", m.minLog))
	}
	return x, x.readLogs(fsys, dir, l, minLog)
}

// readLogs reads the logs from number minLog on. Tables may have part of them, too: for example
// after a crash during a flush.
func (x *rawFiles) readLogs(fsys vfs.FS, dir string, l *listing, minLog uint64) error {
	var tombs []tomb
	for _, t := range x.tables {
		tombs = append(tombs, t.tombs...)
		t.tombs = nil
	}
	for _, n := range slices.Sorted(maps.Keys(l.logs)) {
		if n < minLog {
			continue // all of it is in tables
		}
		vs, err := x.readLog(fsys, dir, l.logs[n], n)
		if err != nil {
			x.lose(fmt.Sprintf("%s: %v", l.logs[n], err))
		}
		for _, v := range vs {
			if v.kind == versionRangeDelete {
				tombs = append(tombs, tomb{v.key, v.value, v.seq})
			} else {
				x.log = append(x.log, v)
			}
		}
	}
	slices.SortStableFunc(x.log, func(a, b version) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.seq, a.seq))
	})
	x.tombs = flatten(tombs)
	return nil
}

func (x *rawFiles) readLog(fsys vfs.FS, dir, name string, number uint64) (out []version, err error) {
	f, err := fsys.Open(fsys.PathJoin(dir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := newChunkReader(f, number)
	defer func() {
		if len(r.wrong) > 0 {
			x.report(name + ": " + mendedBits(r.wrong))
		}
	}()
	next, bad := uint64(0), int64(-1)
	for {
		batch, err := r.next()
		if r.bad >= 0 && bad < 0 {
			bad = r.bad
		}
		if err == io.EOF {
			return out, nil // what follows the last batch came no further
		}
		if err != nil {
			return out, err
		}
		vs, after, err := readBatch(batch)
		if err != nil {
			x.lose(fmt.Sprintf("%s: %v", name, err))
			continue
		}
		if len(vs) == 0 {
			continue
		}
		if bad >= 0 {
			x.lose(fmt.Sprintf("%s: %d changes can't be read at byte %d", name, vs[0].seq-min(next, vs[0].seq), bad))
			bad = -1
		}
		next = after
		out = append(out, vs...)
	}
}

// flatten replaces overlapping tombs with ones that don't overlap. Each gets the highest
// sequence number of the tombs that cover it.
func flatten(tombs []tomb) []tomb {
	var bounds [][]byte
	for _, t := range tombs {
		bounds = append(bounds, t.start, t.end)
	}
	slices.SortFunc(bounds, bytes.Compare)
	bounds = slices.CompactFunc(bounds, bytes.Equal)
	seqs := make([]uint64, len(bounds))
	for _, t := range tombs {
		i, _ := slices.BinarySearchFunc(bounds, t.start, bytes.Compare)
		for ; i < len(bounds) && bytes.Compare(bounds[i], t.end) < 0; i++ {
			seqs[i] = max(seqs[i], t.seq)
		}
	}
	var out []tomb
	for i, seq := range seqs {
		if seq > 0 && i+1 < len(bounds) {
			out = append(out, tomb{bounds[i], bounds[i+1], seq})
		}
	}
	return out
}

// deleted reports whether a tomb deletes a version.
func (x *rawFiles) deleted(v *version) bool {
	i, ok := slices.BinarySearchFunc(x.tombs, v.key, func(t tomb, key []byte) int { return bytes.Compare(t.start, key) })
	if !ok {
		i--
	}
	return i >= 0 && bytes.Compare(v.key, x.tombs[i].end) < 0 && x.tombs[i].seq > v.seq
}

// alive reports whether a version, the newest of its key, is a value that exists.
func (x *rawFiles) alive(v *version) bool {
	return (v.kind == versionSet || v.kind == versionSetDeleted) && !x.deleted(v)
}

// A cursor is a position in a table or in the logs.
type cursor struct {
	t     *table
	block int // the one that comes next
	rows  []version
	key   []byte // of the version, or of the block that comes next
	rank  int64  // of versions with equal numbers the higher one counts
}

// before reports whether c comes before o: it has a lower key, or a newer version of the same
// key. A block that hasn't been read yet counts as newest.
func (c *cursor) before(o *cursor) bool {
	if n := bytes.Compare(c.key, o.key); n != 0 {
		return n < 0
	}
	if len(c.rows) == 0 || len(o.rows) == 0 {
		return len(c.rows) == 0 && len(o.rows) != 0
	}
	return cmp.Or(cmp.Compare(o.rows[0].seq, c.rows[0].seq), cmp.Compare(o.rank, c.rank)) < 0
}

type cursors []*cursor

func (h cursors) Len() int           { return len(h) }
func (h cursors) Less(i, j int) bool { return h[i].before(h[j]) }
func (h cursors) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *cursors) Push(c any)        { *h = append(*h, c.(*cursor)) }
func (h *cursors) Pop() any {
	c := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return c
}

// scan calls f with the keys from start to end and their values, which are valid during the
// call.
func (x *rawFiles) scan(start, end []byte, f func(key, value []byte) error) error {
	var h cursors
	for _, t := range x.tables {
		i, _ := slices.BinarySearchFunc(t.blocks, start, func(b tableBlock, key []byte) int { return bytes.Compare(b.last, key) })
		if i < len(t.blocks) && bytes.Compare(t.blocks[i].first, end) < 0 {
			h = append(h, &cursor{t: t, block: i, key: t.blocks[i].first, rank: t.rank()})
		}
	}
	i, _ := slices.BinarySearchFunc(x.log, start, func(v version, key []byte) int { return bytes.Compare(v.key, key) })
	if i < len(x.log) {
		h = append(h, &cursor{rows: x.log[i:], key: x.log[i].key, rank: 1 << 62})
	}
	heap.Init(&h)
	var last []byte
	for len(h) > 0 && bytes.Compare(h[0].key, end) < 0 {
		c := h[0]
		if len(c.rows) == 0 {
			rows, err := c.t.load(c.block)
			if err != nil {
				x.lose(err.Error())
				rows = nil
			}
			c.block++
			at, _ := slices.BinarySearchFunc(rows, start, func(v version, key []byte) int { return bytes.Compare(v.key, key) })
			c.rows = rows[at:]
			x.settle(&h)
			continue
		}
		v := c.rows[0]
		c.rows = c.rows[1:]
		x.settle(&h)
		if last != nil && bytes.Equal(v.key, last) {
			continue // an older version
		}
		last = v.key
		if x.alive(&v) {
			if err := f(v.key, v.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle restores the order of h after its first cursor has moved.
func (x *rawFiles) settle(h *cursors) {
	switch c := (*h)[0]; {
	case len(c.rows) > 0:
		c.key = c.rows[0].key
		heap.Fix(h, 0)
	case c.t != nil && c.block < len(c.t.blocks):
		c.key = c.t.blocks[c.block].first
		heap.Fix(h, 0)
	default:
		heap.Pop(h)
	}
}

// Get returns the value of a key, as [pebble.Reader] does.
func (x *rawFiles) Get(key []byte) ([]byte, io.Closer, error) {
	var best *version
	bestRank := int64(0)
	look := func(rows []version, rank int64) {
		i, _ := slices.BinarySearchFunc(rows, key, func(v version, key []byte) int { return bytes.Compare(v.key, key) })
		if i < len(rows) && bytes.Equal(rows[i].key, key) {
			if best == nil || cmp.Or(cmp.Compare(rows[i].seq, best.seq), cmp.Compare(rank, bestRank)) > 0 {
				v := rows[i]
				best, bestRank = &v, rank
			}
		}
	}
	look(x.log, 1<<62)
	for _, t := range x.tables {
		i, _ := slices.BinarySearchFunc(t.blocks, key, func(b tableBlock, key []byte) int { return bytes.Compare(b.last, key) })
		// The versions of a key begin in the first block with it.
		if i < len(t.blocks) && bytes.Compare(t.blocks[i].first, key) <= 0 {
			rows, err := t.load(i)
			if err != nil {
				return nil, nil, err
			}
			look(rows, t.rank())
		}
	}
	if best == nil || !x.alive(best) {
		return nil, nil, pebble.ErrNotFound
	}
	return best.value, io.NopCloser(nil), nil
}

// readOptions returns what is wrong with an options file, or nil.
func readOptions(fsys vfs.FS, dir, name string) error {
	f, err := fsys.Open(fsys.PathJoin(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	o := &pebble.Options{}
	o.EnsureDefaults()
	if err := o.CheckCompatibility(dir, string(text)); err != nil {
		return err
	}
	return (&pebble.Options{}).Parse(string(text), nil)
}
