package disk

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// What a crash left half-written goes at the next start, and what is kept of damaged files is
// bounded.
func TestSweep(t *testing.T) {
	mem := vfs.NewMem()
	s := open(t, "d", Options{FS: mem})
	all := records(t, 6)
	put(t, s, all...)
	closeStore(t, s)
	write := func(name string, size int) {
		t.Helper()
		if err := writeFile(mem, mem.PathJoin("d", name), bytes.NewReader(make([]byte, size))); err != nil {
			t.Fatal(err)
		}
	}
	list := func() (names []string) {
		t.Helper()
		all, err := mem.List("d")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			if strings.Contains(name, "-") && !strings.HasPrefix(name, "MANIFEST") && !strings.HasPrefix(name, "OPTIONS") && !strings.HasPrefix(name, "marker") {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	for _, name := range []string{"again-000005.sst", "again-000005.parity", "mended-MANIFEST-000001", "shorter-log"} {
		write(name, 10)
	}
	for n := range maxKept + 4 {
		write(fmt.Sprintf("damaged-%06d.sst", n), 10)
	}
	reopen := func() {
		t.Helper()
		s := open(t, "d", Options{FS: mem})
		wantSame(t, s, all)
		closeStore(t, s)
	}
	reopen()
	var want []string
	for n := range maxKept {
		want = append(want, fmt.Sprintf("damaged-%06d.sst", n+4))
	}
	if got := list(); !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
	write("damaged-000098.sst", maxKeptBytes-1)
	write("damaged-000099.sst", maxKeptBytes+1)
	reopen()
	if got := list(); !slices.Equal(got, []string{"damaged-000099.sst"}) {
		t.Errorf("left are %q, want the last one", got)
	}
}
