package profile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"unicode/utf8"
)

// smallInput is the size up to which input is read and decompressed as a whole
// before it is decoded.
const smallInput = 4 << 20

// largestPlain is the size up to which input is decompressed as a whole.
const largestPlain = 64 << 20

// Decode reads a profile: an encoded protobuf message, one of pprof's older text
// and binary formats, the text of a goroutine profile (debug=1 and debug=2),
// folded stacks, the text of perf script, or a file of speedscope, the Firefox
// Profiler or V8 (.cpuprofile). Each may be compressed with gzip or zstd. Errors are of type [*SyntaxError]
// and [*LimitError] where the bytes are at fault.
//
// Large input is decoded as it arrives; only when r is no [io.Seeker] is all of
// it kept in memory until the end.
func Decode(r io.Reader, lim Limits) (*Profile, error) {
	lim = lim.withDefaults()
	if s, ok := r.(io.ReadSeeker); ok {
		if start, err := s.Seek(0, io.SeekCurrent); err == nil {
			end, err := s.Seek(0, io.SeekEnd)
			if err != nil {
				return nil, err
			}
			if _, err := s.Seek(start, io.SeekStart); err != nil {
				return nil, err
			}
			if end-start > smallInput {
				d := newDecoder(lim)
				if err := d.begin(end - start); err != nil {
					return nil, err
				}
				p, err := decodePieces(d, s)
				p, err = orText(d, p, err, s, start)
				return finished(d, p, err)
			}
			data := make([]byte, end-start)
			if _, err := io.ReadFull(s, data); err != nil {
				return nil, err
			}
			return DecodeBytes(data, lim)
		}
	}
	m := meter{budget: lim.Budget, limit: lim.Memory}
	data, err := m.readAll(io.LimitReader(r, lim.Bytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > lim.Bytes {
		return nil, &LimitError{"bytes", lim.Bytes}
	}
	lim.Memory -= m.used
	return DecodeBytes(data, lim)
}

// DecodeBytes is [Decode] of data. The profile doesn't refer to data.
func DecodeBytes(data []byte, lim Limits) (*Profile, error) {
	d := newDecoder(lim)
	p, err := decodeAll(d, data)
	return finished(d, p, err)
}

// finished gives the memory back of what did not become a profile.
func finished(d *decoder, p *Profile, err error) (*Profile, error) {
	if err != nil {
		d.forget()
	}
	return p, err
}

// decodeAll decodes data, in one piece if it is small.
func decodeAll(d *decoder, data []byte) (*Profile, error) {
	if err := d.begin(int64(len(data))); err != nil {
		return nil, err
	}
	in := bytes.NewReader(data)
	var p *Profile
	var err error
	plain, whole := decompressed(d, data)
	d.share = d.serial && whole // pieces are overwritten by those that follow
	if whole {
		p, err = decodeWhole(d, plain)
	} else {
		p, err = decodePieces(d, in)
	}
	return orText(d, p, err, in, 0)
}

// uncompressed returns the decompressed bytes of data if it is small and sound.
func decompressed(d *decoder, data []byte) (plain []byte, ok bool) {
	if len(data) > smallInput {
		return nil, false
	}
	if isZstd(data) {
		return nil, false
	}
	if len(data) == 0 || data[0] != 0x1f { // which begins no field of a profile
		return data, int64(len(data)) <= d.most
	}
	size := gzipSize(data)
	if size > int(min(largestPlain, d.most)) {
		return nil, false
	}
	if want := min(size, 1100*len(data)) + inflateSlack; cap(d.plainBuf) < want {
		if d.mem.take(int64(want)) != nil {
			return nil, false // more can be decoded than held
		}
		d.mem.give(int64(cap(d.plainBuf)))
		d.plainBuf = make([]byte, 0, want)
	}
	if d.inflater == nil {
		d.inflater = new(inflater)
	}
	plain, ok = d.inflater.gunzip(d.plainBuf[:0], data, size)
	d.plainBuf = plain
	return plain, ok && len(plain) <= size
}

// decodeWhole decodes a whole protobuf profile.
func decodeWhole(d *decoder, b []byte) (*Profile, error) {
	if len(b) == 0 {
		return nil, errEmpty
	}
	if !d.serial {
		if err := reserveFor(d, b); err != nil {
			return nil, err
		}
	}
	n, err := d.feed(b)
	if err != nil {
		return nil, err
	}
	if n > len(b) {
		return nil, endsInside(d)
	}
	if n < len(b) {
		_, at, problem := nextField(b, n)
		return nil, d.fail(at, "%s", problem)
	}
	return finish(d)
}

// orText returns p and err, what came of decoding r from position start on as a
// protobuf profile. If that isn't what it is, it is decoded as what it looks like.
func orText(d *decoder, p *Profile, err error, r io.ReadSeeker, start int64) (*Profile, error) {
	if err == nil || errors.Is(err, errEmpty) {
		return p, err
	}
	var tooLarge *LimitError
	var broken *decompressError
	if errors.As(err, &tooLarge) || errors.As(err, &broken) {
		return nil, err
	}
	reread := func() (io.Reader, error) {
		if _, err := r.Seek(start, io.SeekStart); err != nil {
			return nil, err
		}
		return uncompressed(r, new(gunzipper), &d.mem)
	}
	var syntax *SyntaxError
	var record *badRecord
	if !errors.As(err, &syntax) && !errors.As(err, &record) {
		return nil, err // reading failed
	}
	d.forget()
	lim := d.lim
	lim.TextBytes = min(lim.TextBytes, d.most)
	if p, ok, e := decodeText(reread, lim, &d.mem); ok {
		return p, e
	}
	if record != nil {
		syntax = &SyntaxError{Offset: -1, Msg: record.msg}
		if in, e := reread(); e == nil {
			syntax.Offset = recordOffset(in, record.field, record.n, &d.mem)
		}
	}
	return nil, syntax
}

// decodeText decodes the formats that are not protobuf. open returns the
// decompressed input from its start; ok tells that it is of one of them. What it
// takes is taken from m.
func decodeText(open func() (io.Reader, error), lim Limits, m *meter) (p *Profile, ok bool, err error) {
	in, err := open()
	if err != nil {
		return nil, false, nil // the protobuf decoder's complaint stands
	}
	prefix := make([]byte, 64<<10)
	n, _ := io.ReadFull(in, prefix)
	prefix = prefix[:n]
	switch head := bytes.ToLower(bytes.TrimSpace(prefix[:min(n, 256)])); {
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return nil, true, errors.New("this is an HTML page, not a profile")
	case isProgram(prefix):
		return nil, true, errors.New("this is a program, not a profile")
	}
	if bom := []byte("\ufeff"); bytes.HasPrefix(prefix, bom) {
		whole := open
		open = func() (io.Reader, error) {
			in, err := whole()
			if err == nil {
				_, err = io.CopyN(io.Discard, in, int64(len(bom)))
			}
			return in, err
		}
		prefix = prefix[len(bom):]
	}
	if err := namedFormat(prefix); err != nil {
		return nil, true, err
	}
	if head := bytes.TrimLeft(prefix, " \t\r\n"); len(head) > 0 && (head[0] == '{' || head[0] == '[' && isText(prefix)) {
		p, err := decodeJSON(open, lim, m)
		return p, true, err
	}
	if looksLikeGoroutineDump(prefix) {
		data, err := m.readAll(io.LimitReader(io.MultiReader(bytes.NewReader(prefix), in), lim.TextBytes+1))
		if err != nil {
			return nil, true, err
		}
		p, err := decodeGoroutineDump(data, lim)
		return p, true, err
	}
	p, err = decodeLegacy(open, lim, m)
	switch {
	case err != nil && looksPerfScript(prefix):
		p, err = decodePerfScript(open, lim, m)
	case err != nil && looksFolded(prefix):
		if in, err = open(); err == nil {
			p, err = parseFolded(in, lim, m)
		}
	case errors.Is(err, errNotLegacy) && isText(prefix):
		err = errors.New("this is text, but not in a format of profiles that hone reads")
	case errors.Is(err, errNotLegacy):
		return nil, false, nil
	}
	return p, true, err
}

// isProgram reports whether b begins like an ELF, Mach-O or PE file.
func isProgram(b []byte) bool {
	for _, magic := range []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ"} {
		if bytes.HasPrefix(b, []byte(magic)) {
			return true
		}
	}
	return false
}

// isText reports whether b is text that a person can read.
func isText(b []byte) bool {
	b = b[:min(len(b), 512)]
	return len(b) > 0 && !bytes.ContainsFunc(b, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f
	}) && utf8.Valid(bytes.TrimRightFunc(b, func(r rune) bool { return r == utf8.RuneError }))
}

// decodePieces reads and decodes a protobuf profile.
func decodePieces(d *decoder, r io.Reader) (*Profile, error) {
	in, err := uncompressed(r, &d.gz, &d.mem)
	if err != nil {
		return nil, err
	}
	src := pieces{in: in, pipeline: !d.serial, buf: d.buf, mem: &d.mem}
	defer func() {
		src.stop()
		d.buf = src.buf
	}()
	for {
		piece, err := src.next()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if src.total > d.most {
			return nil, tooLong(d)
		}
		n, ferr := d.feed(piece)
		if ferr != nil {
			return nil, ferr
		}
		d.off += int64(n)
		src.consumed(n)
		if err == io.EOF {
			break
		}
	}
	if src.total == 0 {
		return nil, errEmpty
	}
	if src.skip > 0 {
		return nil, endsInside(d)
	}
	if rest := src.rest; len(rest) > 0 {
		_, at, problem := nextField(rest, 0)
		return nil, d.fail(at, "%s", problem)
	}
	return finish(d)
}

// endsInside is the error of input that ends inside a field that was skipped.
func endsInside(d *decoder) error {
	return &SyntaxError{d.unended, "a field is longer than what holds it"}
}

// recordOffset returns the offset of the n-th field with the given number, or -1.
func recordOffset(in io.Reader, num uint64, n int, m *meter) int64 {
	src := pieces{in: in, mem: m}
	off := int64(0)
	for {
		piece, err := src.next()
		i := 0
		for i < len(piece) {
			f, next, problem := nextField(piece, i)
			if problem != "" {
				if f.num > fieldDocURL && f.wire == wireBytes {
					if size, k := uvarint(piece, next); k > 0 {
						i = k + int(min(size, math.MaxInt64/2))
					}
				}
				break
			}
			if f.num == num {
				if n == 0 {
					return off + int64(i)
				}
				n--
			}
			i = next
		}
		off += int64(i)
		src.consumed(i)
		if err != nil {
			return -1
		}
	}
}

// A Decoder decodes profiles one after another, reusing its memory. Its zero
// value has the default limits. Between calls, of Limits only the Budget may change.
type Decoder struct {
	Limits Limits
	d      *decoder
}

// Decode is [DecodeBytes], but the profile is valid only until the next call.
// It works on the caller's goroutine alone.
func (d *Decoder) Decode(data []byte) (*Profile, error) {
	if d.d == nil {
		d.d = newDecoder(d.Limits)
		d.d.serial = true
	} else {
		d.d.reset()
		d.d.lim.Budget = d.Limits.Budget
	}
	p, err := decodeAll(d.d, data)
	if p, err = finished(d.d, p, err); err != nil {
		d.d = nil // what took too much memory is not kept
	}
	return p, err
}

// Kept returns the bytes of memory that the Decoder keeps for the next profile.
// The next call takes them from its Budget.
func (d *Decoder) Kept() int64 {
	if d.d == nil {
		return 0
	}
	return keptBytes(d.d)
}
