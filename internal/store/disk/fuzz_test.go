package disk

import (
	"bytes"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Whatever the files of a store have in them, reading them ends.
func FuzzFiles(f *testing.F) {
	mem := vfs.NewMem()
	s := open(f, "d", Options{FS: mem})
	put(f, s, records(f, 4)...)
	if err := s.kv.db.Flush(); err != nil {
		f.Fatal(err)
	}
	put(f, s, records(f, 6)...)
	names, err := mem.List("d")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		file, err := mem.Open(mem.PathJoin("d", name))
		if err != nil {
			f.Fatal(err)
		}
		data, err := io.ReadAll(file)
		file.Close()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	closeStore(f, s)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, log := range []uint64{0, 4} {
			r := newChunkReader(bytes.NewReader(data), log)
			for n := 0; ; n++ {
				rec, err := r.next()
				if err == io.EOF {
					break
				}
				if err != nil || n > len(data) {
					t.Fatalf("%d records: %v", n, err)
				}
				readBatch(rec)
				readEdit(rec)
			}
		}
		readBatch(data)
		readEdit(data)
		mem := vfs.NewMem()
		w, err := mem.Create("000001.sst", vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
		w.Close()
		openTable(mem, "", "000001.sst", func(string) {}, func(string) {})
	})
}
