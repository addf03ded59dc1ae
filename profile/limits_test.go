package profile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// A bomb is a profile that is small when compressed: a head, and then one small
// piece over and over.
type bomb struct{ name, head, piece string }

// bombs returns bombs of about so many bytes when decompressed.
func bombs(size int) []bomb {
	head := string(msg{}.bytes(1, msg{}.num(1, 1).num(2, 2)).strings("", "cpu", "ns"))
	length := func(key byte, n int) string {
		return string(binary.AppendUvarint([]byte{key}, uint64(n)))
	}
	open := func(key byte, inner string) string { // a message that goes on to the end
		return length(key, size+len(inner)) + inner
	}
	return []bomb{
		{name: "zeros", piece: "\x00"},
		{name: "empty strings", head: head, piece: "\x32\x00"},
		{name: "short strings", head: head, piece: "\x32\x02ab"},
		{name: "empty samples", head: head, piece: "\x12\x00"},
		{name: "small samples", head: head, piece: "\x12\x03\x12\x01\x01"},
		{name: "samples with labels", head: head, piece: "\x12\x09\x12\x01\x01\x1a\x04\x08\x01\x18\x01"},
		{name: "samples with large ids", head: head, piece: "\x12\x08\x08\x80\x80\x80\x80\x80\x80\x01"},
		{name: "empty locations", head: head, piece: "\x22\x00"},
		{name: "locations", head: head, piece: "\x22\x02\x08\x01"},
		{name: "locations with lines", head: head, piece: "\x22\x06\x08\x01\x22\x02\x08\x01"},
		{name: "functions", head: head, piece: "\x2a\x02\x08\x01"},
		{name: "mappings", head: head, piece: "\x1a\x02\x08\x01"},
		{name: "comments", head: head, piece: "\x68\x01"},
		{name: "packed comments", head: head + length(0x6a, size), piece: "\x01"},
		{name: "sample types", head: head, piece: "\x0a\x00"},
		{name: "periods", head: head, piece: "\x60\x01"},
		{name: "one sample with many locations", head: head + open(0x12, length(0x0a, size)), piece: "\x01"},
		{name: "one sample with many values", head: head + open(0x12, length(0x12, size)), piece: "\x01"},
		{name: "one sample with many labels", head: head + length(0x12, size), piece: "\x1a\x04\x08\x01\x18\x01"},
		{name: "one location with many lines", head: head + length(0x22, size), piece: "\x22\x02\x08\x01"},
		{name: "one string", head: head + length(0x32, size), piece: "a"},
		{name: "unknown field", head: head + "\x82" + length(0x01, size), piece: "A"},
		{name: "text", head: "heap profile: 1: 1 [1: 1] @ heap/1048576\n", piece: "1: 1 [1: 1] @ 0x1 0x2\n"},
		{name: "text in one line", head: "goroutine profile: total 1\n1 @ ", piece: "0x1 "},
		{name: "folded text", piece: "a;b 1\n"},
		{name: "goroutines", piece: "goroutine 1 [running]:\nmain.main()\n\t/x.go:1\n\n"},
	}
}

// compressed returns the bomb as it is sent.
func (b bomb) compressed(t testing.TB, size int) []byte {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(b.head))
	block := bytes.Repeat([]byte(b.piece), (64<<10)/len(b.piece))
	for n := 0; n < size; n += len(block) {
		w.Write(block[:min(len(block), size-n)])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// ledger is a Budget that knows how much was taken.
type ledger struct{ now, most, all int64 }

func (l *ledger) Take(n int64) error {
	l.now += n
	l.all += n
	l.most = max(l.most, l.now)
	return nil
}

func (l *ledger) Give(n int64) { l.now -= n }

// TestBombs decodes what is made to take all memory. It has to be refused, or
// read, within the limit that follows from what was sent, and nothing may be
// allocated that was not taken.
func TestBombs(t *testing.T) {
	const size, expandTo = 16 << 20, 2 << 20
	for _, b := range bombs(size) {
		t.Run(b.name, func(t *testing.T) {
			sent := b.compressed(t, size)
			most := int64(expandTo + 64*len(sent))
			for _, way := range []struct {
				name   string
				decode func(Limits) error
			}{
				{"bytes", func(lim Limits) error { _, err := DecodeBytes(sent, lim); return err }},
				{"stream", func(lim Limits) error { _, err := Decode(struct{ io.Reader }{bytes.NewReader(sent)}, lim); return err }},
				{"decoder", func(lim Limits) error {
					d := Decoder{Limits: lim}
					_, err := d.Decode(sent)
					return err
				}},
			} {
				var l ledger
				allocated, err := allocating(func() error { return way.decode(Limits{ExpandTo: expandTo, Budget: &l}) })
				var limit *LimitError
				var syntax *SyntaxError
				if err != nil && !errors.As(err, &limit) && !errors.As(err, &syntax) {
					t.Errorf("%s: %v", way.name, err)
				}
				if kept := int64(2 * len(sent)); l.most > most+kept { // a stream is kept
					t.Errorf("%s: took %d bytes at a time, the limit for %d is %d", way.name, l.most, len(sent), most)
				}
				if kept := int64(2*len(sent)) + 8<<10; err != nil && l.now > kept {
					t.Errorf("%s: after %v, %d bytes are not given back", way.name, err, l.now)
				}
				if allocated > 2*l.all+slack {
					t.Errorf("%s: allocated %d bytes, but took only %d", way.name, allocated, l.all)
				}
			}
		})
	}
}

// slack is what may be allocated without being taken: buffers of a fixed size,
// and what the runtime does meanwhile.
const slack = 1 << 20

func allocating(f func() error) (bytes int64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), err
}

// What was sent for a limit is told, for whoever has to raise it.
func TestExpansionErrors(t *testing.T) {
	for _, test := range []struct {
		bomb, want string
		lim        Limits
	}{
		{"empty strings", "in memory for the 24", Limits{}},
		{"empty strings", "more than 1048576 bytes in memory, the limit", Limits{Memory: 1 << 20}},
		{"periods", "when decompressed for the 24", Limits{}},
	} {
		test.lim.ExpandTo = 2 << 20
		for _, b := range bombs(24 << 20) {
			if b.name != test.bomb {
				continue
			}
			if _, err := DecodeBytes(b.compressed(t, 24<<20), test.lim); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s with %+v: %v, want %q", test.bomb, test.lim, err, test.want)
			}
		}
	}
	// Whoever says so gets all of it.
	b := bombs(16 << 20)[1]
	p, err := DecodeBytes(b.compressed(t, 16<<20), Limits{ExpandTo: 1 << 20, Expansion: -1})
	if err != nil || len(p.Strings) < 8<<20 {
		t.Errorf("without a bound: %v", err)
	}
}

func TestUnknownFieldIsSkipped(t *testing.T) {
	const size = 24 << 20
	long := tiny().bytes(100, bytes.Repeat([]byte("AB\n\x00"), size/4))
	long = append(long, msg{}.strings("after")...)
	for name, data := range map[string][]byte{"plain": long, "compressed": gzipped(t, long)} {
		var l ledger
		p, err := Decode(bytes.NewReader(data), Limits{Budget: &l})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if last := p.Strings[len(p.Strings)-1]; last != "after" {
			t.Errorf("%s: the last string is %q", name, last)
		}
		if name == "plain" && l.most > 2<<20 {
			t.Errorf("%s: skipping %d bytes took %d", name, size, l.most)
		}
		_, err = Decode(bytes.NewReader(data[:len(data)-len(data)/2]), Limits{})
		if err == nil {
			t.Errorf("%s: the half of it is read", name)
		}
	}
	cut := tiny().bytes(100, make([]byte, 9<<20))
	at := len(tiny()) + 2 // the length of the field
	for _, data := range [][]byte{cut[:8<<20], cut[:1<<20]} {
		want := SyntaxError{int64(at), "a field is longer than what holds it"}
		var syntax *SyntaxError
		if _, err := Decode(bytes.NewReader(data), Limits{}); !errors.As(err, &syntax) || *syntax != want {
			t.Errorf("cut at %d: %v, want %v", len(data), err, &want)
		}
	}
	// The place of a bad record behind it is found all the same.
	record := msg{}.bytes(4, msg{}.num(1, 2).bytes(4, msg{}.num(1, 9))) // of function 9
	bad := append(tiny().bytes(100, make([]byte, 9<<20)), record...)
	want := int64(len(bad) - len(record))
	var syntax *SyntaxError
	if _, err := Decode(bytes.NewReader(bad), Limits{}); !errors.As(err, &syntax) || syntax.Offset != want {
		t.Errorf("%v, want it at byte %d", err, want)
	}
}

// FuzzDecodeMemory checks that nothing is allocated that was not taken.
func FuzzDecodeMemory(f *testing.F) {
	for _, b := range bombs(2 << 10) {
		f.Add(append([]byte(b.head), bytes.Repeat([]byte(b.piece), 1<<10/len(b.piece))...))
	}
	for _, name := range corpus(f) {
		if data := readFile(f, name); len(data) < 64<<10 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := Limits{Memory: 64 << 20, ExpandTo: 1 << 20}
		d := Decoder{}
		for name, decode := range map[string]func(Limits) error{
			"bytes":   func(lim Limits) error { _, err := DecodeBytes(data, lim); return err },
			"decoder": func(lim Limits) error { d.Limits = lim; _, err := d.Decode(data); return err },
		} {
			var l ledger
			lim.Budget = &l
			allocated, err := allocating(func() error { return decode(lim) })
			if allocated > 2*l.all+slack+20*int64(len(data)) {
				t.Errorf("%s: allocated %d bytes, but took only %d: %v", name, allocated, l.all, err)
			}
			if most := lim.expanded(int64(len(data))); l.most > most {
				t.Errorf("%s: took %d bytes at a time, the limit is %d", name, l.most, most)
			}
		}
	})
}

// A frame of zstd data has a window as large as it says, whatever is in it: the memory of
// that is taken, or the frame is refused.
func TestZstdWindow(t *testing.T) {
	const block = "\x02\x00\x10A" // one byte that comes 128 kB times
	var limit *LimitError
	for _, tt := range []struct {
		name, head string
		want       int64 // 0 is refused
	}{
		{"16 MiB", "\x28\xb5\x2f\xfd\x00\x70", 16 << 20},
		{"64 KiB", "\x28\xb5\x2f\xfd\x00\x30", 1 << 20},
		{"one segment of 256 MiB", "\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x10", 0},
		{"a skippable frame", "\x50\x2a\x4d\x18\x00\x00\x00\x00", 0}, // no profile
	} {
		var l ledger
		_, err := DecodeBytes([]byte(tt.head+block), Limits{Budget: &l})
		if err == nil || tt.name[0] == 'o' && !errors.As(err, &limit) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if l.most < tt.want || l.most > tt.want+2<<20 {
			t.Errorf("%s: it takes %d bytes, want %d", tt.name, l.most, tt.want)
		}
	}
}
