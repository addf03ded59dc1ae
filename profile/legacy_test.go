package profile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gp "github.com/google/pprof/profile"
)

func TestLegacyCorpus(t *testing.T) {
	files := parityFiles(t, "legacy/*.string")
	if len(files) == 0 {
		t.Skip("no legacy profiles")
	}
	for _, golden := range files {
		file := strings.TrimSuffix(golden, ".string")
		t.Run(filepath.Base(file), func(t *testing.T) {
			p, err := decodeLegacy(readFile(t, file))
			if err != nil {
				t.Fatal(err)
			}
			diffLines(t, rawText(t, p), string(readFile(t, golden)))
			if p.DropFrames == "" {
				t.Error("no drop_frames")
			}
		})
	}
}

func TestFromGoogleKeepsOrderAndIDs(t *testing.T) {
	g := oddProfile()
	g.Sample = append(g.Sample, g.Sample...) // repeated samples must stay
	g.DropFrames, g.KeepFrames = "d", "k"
	p, err := fromGoogle(g)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.NumSamples(), len(g.Sample); got != want {
		t.Errorf("%d samples, want %d", got, want)
	}
	if p.DropFrames != "d" || p.KeepFrames != "k" || p.DefaultSampleType != "b" {
		t.Errorf("drop %q, keep %q, default %q", p.DropFrames, p.KeepFrames, p.DefaultSampleType)
	}
	back := ToGoogle(p)
	diffLines(t, back.String(), g.String())
	if err := back.CheckValid(); err != nil {
		t.Error(err)
	}
}

func TestFromGoogleRefusesForeignReferences(t *testing.T) {
	for name, change := range map[string]func(*gp.Profile){
		"mapping":  func(g *gp.Profile) { g.Mapping = nil },
		"function": func(g *gp.Profile) { g.Function = nil },
		"location": func(g *gp.Profile) { g.Location = g.Location[1:] },
		"values":   func(g *gp.Profile) { g.Sample[1].Value = nil },
	} {
		g := oddProfile()
		change(g)
		if _, err := fromGoogle(g); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLegacyRefusals(t *testing.T) {
	attributes := "--- threadz 1 ---\nMAPPED_LIBRARIES:\na=0123456789\n"
	for i := range 60 {
		attributes += fmt.Sprintf("%c=$%c$%c\n", 'b'+i, 'a'+i, 'a'+i)
	}
	remap := "heap profile: 1: 1 [1: 1] @ heap/1\n" + strings.Repeat("1: 1 [1: 1] @ 0x1\n", 200_000) +
		"MAPPED_LIBRARIES:\n" + strings.Repeat("1-2 r-xp 0 0:0 0 f\n", 100_000)
	records := "heap profile: 1: 1 [1: 1] @ heap/1\n" + strings.Repeat("#\n", legacyMaxRecords+1)
	// A big-endian binary CPU profile that is a valid protobuf of empty samples too.
	var proto []byte
	for _, w := range []uint32{0, 3, 0, 0x0800, 0} {
		proto = binary.BigEndian.AppendUint32(proto, w)
	}
	proto = append(proto, bytes.Repeat([]byte{0x12, 0}, legacyMaxProto)...)

	for _, c := range []struct {
		name, data string
		limit      bool // want a *LimitError, else errNotLegacy
	}{
		{"empty", "", false},
		{"text", "hello\n", false},
		{"zeros", strings.Repeat("\x00", 100), false},
		{"gzip", "\x1f\x8b\x08", false},
		{"protobuf", string(proto), false},
		{"exponential attributes", attributes, true},
		{"quadratic mappings", remap, true},
		{"lines", records, true},
	} {
		_, err := decodeLegacy([]byte(c.data))
		var limit *LimitError
		if errors.As(err, &limit) != c.limit || !c.limit && !errors.Is(err, errNotLegacy) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

func TestLegacyLeavesDataAlone(t *testing.T) {
	data := []byte(legacySeeds[0])
	p, err := decodeLegacy(data)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != legacySeeds[0] {
		t.Error("the data was changed")
	}
	before := rawText(t, p)
	clear(data)
	diffLines(t, rawText(t, p), before)
}

var legacySeeds = []string{
	"heap profile:    3:   240 [    5:   400] @ heap/1048576\n" +
		"   1:    80 [    1:    80] @ 0x400100 0x400200\n   2:   160 [    4:   320] @ 0x400300\n" +
		"\nMAPPED_LIBRARIES:\nbuild=/bin/prog\n00400000-00500000 r-xp 00000000 00:00 0 $build\n",
	"--- threadz 1 ---\n\n--- Thread 7f (name: main/1) stack: ---\n  PC: 0x400100 f\n  0x400200 g\n" +
		"--- Thread 80 (name: worker/2) stack: ---\n    [same as previous thread]\n" +
		"--- Memory map: ---\n  00400000-00500000: /bin/prog\n",
	"--- contentionz 1 ---\ncycles/second = 3201000000\nsampling period = 100\nms since reset = 5000\n" +
		"discarded samples = 0\n    19490304     27 @ 0x400100 0x400200\n--- Memory map: ---\n  00400000-00500000: /bin/prog\n",
	"threadcreate profile: total 2\n1 @ 0x44cb3 0x45045\n1 @ 0x44cb3\n",
	"--- heapz 1 ---\nformat = java\nresolution = bytes\n   7   7168 @ 0x1 0x2\n0x1 java.lang.Object.wait (Object.java:42)\n0x2 GC\n",
}

func FuzzLegacy(f *testing.F) {
	for _, s := range legacySeeds {
		f.Add([]byte(s))
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		var b32, b64 []byte
		for _, w := range []uint32{0, 3, 0, 1000, 0, 5, 2, 0x400100, 0x400200, 1, 1, 0x400300, 0, 1, 0} {
			b32 = order.AppendUint32(b32, w)
			b64 = order.AppendUint64(b64, uint64(w))
		}
		tail := "MAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 00:00 0 /bin/prog\n"
		f.Add(append(b32, tail...))
		f.Add(append(b64, tail...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		p, err := decodeLegacy(data)
		g, gerr := gp.ParseData(bytes.Clone(data))
		if err != nil {
			var limit *LimitError
			if gerr == nil && !errors.Is(err, errNotLegacy) && !errors.As(err, &limit) {
				t.Fatalf("refused what the oracle takes: %v", err)
			}
			return
		}
		if gerr != nil {
			t.Fatalf("taken, but the oracle says %v", gerr)
		}
		diffLines(t, rawText(t, p), g.String())
		if err := ToGoogle(p).CheckValid(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLegacySignatures checks that every legacy file of the corpus is recognized
// by its signature, and no file in another format is.
func TestLegacySignatures(t *testing.T) {
	for _, file := range corpus(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := !bytes.HasPrefix(data, []byte{0x1f, 0x8b})
		if got := !errors.Is(checkLegacy(data), errNotLegacy); got != want {
			t.Errorf("%s: legacy %v, want %v", file, got, want)
		}
	}
}
