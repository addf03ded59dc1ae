package disk

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A key that was written twice under a snapshot is in a table twice. Pebble may put the
// replaced value into a block of its own; all of the table can be read anyway.
func TestReplacedValues(t *testing.T) {
	mem := vfs.NewMem()
	for _, apart := range []bool{true, false} {
		f, err := mem.Create("000001.sst", vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		w := sstable.NewRawWriter(objstorageprovider.NewFileWritable(f), sstable.WriterOptions{
			TableFormat: tableFormat.MaxTableFormat(), Comparer: pebble.DefaultComparer, KeySchema: &keySchema,
			Compression: sstable.NoCompression, DisableValueBlocks: !apart,
		})
		rows := []version{{key: []byte("a"), value: []byte("x"), seq: 1}, {key: []byte("b"), value: []byte("new"), seq: 7},
			{key: []byte("b"), value: []byte("old"), seq: 3}, {key: []byte("c"), value: []byte("y"), seq: 2}}
		for _, v := range rows {
			k := pebble.InternalKey{UserKey: v.key}
			setTrailer(&k.Trailer, v.seq<<8|versionSet)
			if err := w.Add(k, v.value, false); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		tab, err := openTable(mem, "", "000001.sst", func(p string) { t.Error(p) }, func(p string) { t.Error(p) })
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range tab.blocks {
			rows, err := tab.load(i)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range rows {
				got += string(v.key) + "=" + string(v.value) + " "
			}
		}
		want := "a=x b=new b=old c=y "
		if apart {
			want = "a=x b=new c=y "
		}
		if got != want {
			t.Errorf("apart %v: got %s, want %s", apart, got, want)
		}
	}
}

// Keys are written again while a snapshot is open, as packing has one: nothing is wrong with
// the tables.
func TestWrittenUnderSnapshot(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, "d", Options{FS: mem})
	all := records(t, 40)
	put(t, s, all[:20]...)
	if err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	snap := s.kv.db.NewSnapshot()
	put(t, s, all[20:]...)
	if err := s.Compact(t.Context()); err != nil { // which writes lists and sums again
		t.Fatal(err)
	}
	if err := snap.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := listFiles(mem, "d")
	if err != nil {
		t.Fatal(err)
	}
	twice := 0
	for _, name := range l.tables {
		tab, err := openTable(mem, "d", name, func(p string) { t.Error(p) }, func(p string) { t.Error(p) })
		if err != nil {
			t.Fatal(err)
		}
		for i := range tab.blocks {
			rows, err := tab.load(i)
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows[1:] {
				if string(rows[i].key) == string(rows[i+1].key) {
					twice++
				}
			}
		}
	}
	if twice == 0 {
		t.Error("no key is in a table twice")
	}
	closeStore(t, s)
	if p := verify(t, "d", mem); len(p) > 0 {
		t.Errorf("verify: %q", p)
	}
}
