package symbol

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// use asks an executable for all there is to ask.
func use(img *image) {
	f := newFile("fuzz", io.NopCloser(nil), img)
	syms, _ := f.Symbols(regexp.MustCompile("a"), 0)
	addrs := []uint64{0, 1, f.Base(0x400000, 0x500000, 0x1000)}
	if len(syms) > 20 {
		syms = syms[:20]
	}
	for _, s := range syms {
		addrs = append(addrs, s.Start, s.End)
	}
	if img.text != nil {
		addrs = append(addrs, img.text.addr, img.text.addr+img.text.size/2)
	}
	if t := f.golines(); t != nil {
		addrs = append(addrs, t.pc(0), t.pc(t.n/2), t.pc(t.n)-1)
	}
	if d := f.dwarf(); d != nil {
		for i := range d.units {
			if i < 5 {
				addrs = append(addrs, d.units[i].low, d.units[i].high-1)
			}
		}
	}
	for _, a := range addrs {
		f.Frames(a)
		f.compatFrames(a)
		f.functionFrames(a)
		f.Disasm(a, a+64, false)
		f.Disasm(a, a+64, true)
	}
}

// smallBinaries returns the test data of the standard library, if it is there.
func smallBinaries() [][]byte {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil
	}
	files, _ := filepath.Glob(strings.TrimSpace(string(root)) + "/src/debug/*/testdata/*")
	var out [][]byte
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil || len(b) > 200<<10 {
			continue
		}
		if strings.HasSuffix(path, ".base64") {
			if b, err = base64.StdEncoding.DecodeString(string(b)); err != nil {
				continue
			}
		}
		if strings.HasSuffix(path, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(b))
			if err != nil {
				continue
			}
			if b, err = io.ReadAll(z); err != nil {
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

func TestSmallBinaries(t *testing.T) {
	for _, b := range smallBinaries() {
		if img, err := openImage(bytes.NewReader(b), int64(len(b))); err == nil {
			use(img)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, b := range smallBinaries() {
		f.Add(b)
	}
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Add([]byte("MZ"))
	f.Add([]byte("\xca\xfe\xba\xbe\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if img, err := openImage(bytes.NewReader(b), int64(len(b))); err == nil {
			use(img)
		}
	})
}

// TestDamagedLineTable decodes line tables with some bytes changed.
func TestDamagedLineTable(t *testing.T) {
	good := named("plain").open(t).golines()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		b := bytes.Clone(good.data)
		for range 1 + rnd.IntN(200) {
			b[rnd.IntN(len(b))] = byte(rnd.IntN(256))
		}
		if rnd.IntN(3) == 0 {
			b[8+rnd.IntN(64)] = byte(rnd.IntN(256))
		}
		if rnd.IntN(4) == 0 {
			b = b[:rnd.IntN(len(b))]
		}
		if rnd.IntN(4) == 0 && len(b) > 0 { // an older version
			b[0] = []byte{0xfb, 0xfa, 0xf0}[rnd.IntN(3)]
		}
		table := parseGoTable(b, good.addr, good.text)
		if table == nil {
			continue
		}
		memory := good.inlined
		if rnd.IntN(2) == 0 {
			memory = b
		}
		table.sane()
		table.afterRecords()
		table.plausible(memory)
		table.inlined = memory
		table.symbols()
		for range 500 {
			if fn, ok := table.find(table.pc(rnd.IntN(table.n)) + uint64(rnd.IntN(50))); ok {
				fn.frames(fn.entry + uint64(rnd.IntN(100)))
			}
		}
	}
}

// TestDamaged opens programs with some bytes of the parts that are decoded
// changed, or with an end missing.
func TestDamaged(t *testing.T) {
	for _, b := range binaries {
		t.Run(b.name, func(t *testing.T) {
			if b.cross && !strings.HasPrefix(b.name, "darwin") && !strings.HasPrefix(b.name, "windows") {
				t.Skip("another ELF")
			}
			good, err := os.ReadFile(b.path(t))
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, 2)).IntN
			for round := range 12 {
				bad := bytes.Clone(good)
				for range 400 {
					bad[random(4096)] = byte(random(256))
					if round%2 == 0 { // leave the headers as they are
						copy(bad, good[:4096])
					}
					bad[random(len(bad))] = byte(random(256))
				}
				if round%3 == 0 {
					bad = bad[:random(len(bad))]
				}
				if img, err := openImage(bytes.NewReader(bad), int64(len(bad))); err == nil {
					use(img)
				}
			}
		})
	}
}
