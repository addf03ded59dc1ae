package main

import (
	"bytes"
	"crypto/sha256"
	endian "encoding/binary"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// equalFile keeps what was found equal: for each comparison with the original a
// hash of the command line, of the files it names and of what hone printed. What
// has such a hash needs not be compared again, which takes most of the test's
// time. The first line is the Go whose pprof it was.
const equalFile = "testdata/parity.equal"

// An equalSet holds those hashes; for another Go than theirs, none.
type equalSet struct {
	goVersion string
	foreign   bool // the file was recorded on another minor version of Go
	root      string
	known     map[uint64]bool
	mu        sync.Mutex
	found     []uint64 // in this run
}

func readEqual(t *testing.T) *equalSet {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		t.Fatal(err)
	}
	e := &equalSet{goVersion: strings.TrimSpace(string(out)), root: repository(t), known: make(map[uint64]bool)}
	data, err := os.ReadFile(equalFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	first, sums, _ := bytes.Cut(data, []byte("\n"))
	if string(first) != e.goVersion {
		e.foreign = version.Lang(string(first)) != version.Lang(e.goVersion)
		t.Logf("%s is of %s, and this is %s: everything is compared anew, or a sample on another minor version", equalFile, first, e.goVersion)
		return e
	}
	for ; len(sums) >= 8; sums = sums[8:] {
		e.known[endian.BigEndian.Uint64(sums)] = true
	}
	return e
}

// sum hashes a comparison. Where the repository is does not count.
func (e *equalSet) sum(p *parityTools, args []string, got answer) uint64 {
	h := sha256.New()
	place := strings.NewReplacer(e.root, "$ROOT", filepath.Dir(e.root), "$BESIDE")
	fmt.Fprintf(h, "%q\n", place.Replace(strings.Join(args, "\x00")))
	p.hashFiles(h, args)
	fmt.Fprintf(h, "%v\n%s", got.failed, place.Replace(got.stdout))
	return endian.BigEndian.Uint64(h.Sum(nil))
}

func (e *equalSet) has(sum uint64) bool { return e.known[sum] }

func (e *equalSet) add(sum uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found = append(e.found, sum)
}

// write replaces the file by what this run found equal.
func (e *equalSet) write(t *testing.T) {
	slices.Sort(e.found)
	out := []byte(e.goVersion + "\n")
	for _, sum := range slices.Compact(e.found) {
		out = endian.BigEndian.AppendUint64(out, sum)
	}
	if err := os.WriteFile(equalFile, out, 0o666); err != nil {
		t.Error(err)
	}
}
