package clickhouse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/pierrec/lz4/v4"
)

// Statements and answers are sent in the engine's compressed frames.
//
//	frame  checksum [16]byte, method uint8, size uint32, whole uint32, data
//
// Method 0x82 is an LZ4 block, 0x02 is uncompressed. size is the number of bytes from method
// on, whole the size of the decompressed data. The checksum is an old version of CityHash128.
// TCP has checksums already, so hone doesn't check it, and tells the engine not to check it
// either.

const (
	frameHead   = 16 + 1 + 4 + 4
	methodLZ4   = 0x82
	methodPlain = 0x02
	frameSize   = 1 << 20 // data per sent frame
	maxFrame    = 1 << 28 // maximum data per received frame
)

// appendFrames appends data in compressed frames to dst.
func appendFrames(dst, data []byte) []byte {
	var c lz4.Compressor
	for len(data) > 0 {
		chunk := data[:min(len(data), frameSize)]
		data = data[len(chunk):]
		at := len(dst)
		dst = append(dst, make([]byte, frameHead+lz4.CompressBlockBound(len(chunk)))...)
		method := byte(methodLZ4)
		n, err := c.CompressBlock(chunk, dst[at+frameHead:])
		if err != nil || n == 0 {
			method, n = methodPlain, copy(dst[at+frameHead:], chunk)
		}
		dst = dst[:at+frameHead+n]
		dst[at+16] = method
		binary.LittleEndian.PutUint32(dst[at+17:], uint32(n+9))
		binary.LittleEndian.PutUint32(dst[at+21:], uint32(len(chunk)))
	}
	return dst
}

// A stream reads an answer, in frames or plain.
type stream struct {
	r     io.Reader
	plain bool   // there are no frames
	data  []byte // of the frame that is being read
	rest  []byte // of data
	frame []byte
	large []byte // what is in several frames
}

var errFrame = errors.New("the engine's answer is not in compressed frames")

func (s *stream) fill() error {
	if s.plain {
		s.data = resized(s.data, 64<<10)
		n, err := io.ReadAtLeast(s.r, s.data, 1)
		s.rest = s.data[:n]
		return err
	}
	var start [frameHead]byte
	if _, err := io.ReadFull(s.r, start[:]); err != nil {
		if err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("%w: %w", errFrame, err)
		}
		return err
	}
	size, whole := binary.LittleEndian.Uint32(start[17:]), binary.LittleEndian.Uint32(start[21:])
	if size < 9 || size > maxFrame || whole > maxFrame {
		return fmt.Errorf("%w: one has %d bytes, and %d when decompressed", errFrame, size, whole)
	}
	s.frame = resized(s.frame, int(size-9))
	if _, err := io.ReadFull(s.r, s.frame); err != nil {
		return noEOF(err)
	}
	s.data = resized(s.data, int(whole))
	switch start[16] {
	case methodLZ4:
		n, err := lz4.UncompressBlock(s.frame, s.data)
		if err != nil || n != len(s.data) {
			return errors.Join(errFrame, err)
		}
	case methodPlain:
		s.data = append(s.data[:0], s.frame...)
	default:
		return fmt.Errorf("%w: one has method %#x", errFrame, start[16])
	}
	s.rest = s.data
	return nil
}

func resized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// next returns the next n bytes, which are valid until the next call. It returns io.EOF at the
// end.
func (s *stream) next(n int) ([]byte, error) {
	if n <= len(s.rest) {
		b := s.rest[:n]
		s.rest = s.rest[n:]
		return b, nil
	}
	s.large = append(s.large[:0], s.rest...)
	s.rest = nil
	for len(s.large) < n {
		if err := s.fill(); err != nil {
			if len(s.large) > 0 {
				err = noEOF(err)
			}
			return nil, err
		}
		more := min(n-len(s.large), len(s.rest))
		s.large = append(s.large, s.rest[:more]...)
		s.rest = s.rest[more:]
	}
	return s.large, nil
}

func (s *stream) uvarint() (v uint64, err error) {
	for shift := uint(0); ; shift += 7 {
		b, err := s.next(1)
		if err != nil {
			if shift > 0 {
				err = noEOF(err)
			}
			return 0, err
		}
		if v |= uint64(b[0]&0x7f) << shift; b[0] < 0x80 || shift == 63 {
			return v, nil
		}
	}
}

func (s *stream) string() (string, error) {
	n, err := s.uvarint()
	if err != nil {
		return "", err
	}
	if n > maxFrame {
		return "", errAnswer
	}
	b, err := s.next(int(n))
	return string(b), err
}

var errAnswer = errors.New("the engine's answer is not in the Native format")

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
