package grpcload

import (
	"encoding/binary"
	"fmt"
)

// A frame of HTTP/2 (RFC 9113, 4.1), numbers big-endian:
//
//	length uint24 | type uint8 | flags uint8 | stream uint32, its first bit reserved | payload
const frameHeader = 9

const (
	frameData = iota
	frameHeaders
	framePriority
	frameReset
	frameSettings
	framePush
	framePing
	frameGoAway
	frameWindow
	frameContinuation
)

const (
	flagEndStream  = 0x1 // of DATA and HEADERS
	flagAck        = 0x1 // of SETTINGS and PING
	flagEndHeaders = 0x4
	flagPadded     = 0x8
	flagPriority   = 0x20
)

const (
	settingTableSize = 1
	settingPush      = 2
	settingStreams   = 3
	settingWindow    = 4
	settingFrameSize = 5
)

const (
	codeNone    = 0x0
	codeRefused = 0x7
	codeCancel  = 0x8
)

var codeNames = []string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
	"REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

func codeName(code uint32) string {
	if int(code) < len(codeNames) {
		return codeNames[code]
	}
	return fmt.Sprintf("error code %d", code)
}

const (
	defaultWindow    = 1<<16 - 1 // RFC 9113, 6.5.2, as the next two
	defaultFrameSize = 1 << 14
	defaultTableSize = 4096
	maxWindow        = 1<<31 - 1
)

func appendFrame(dst []byte, kind, flags byte, stream uint32, length int) []byte {
	dst = append(dst, byte(length>>16), byte(length>>8), byte(length), kind, flags)
	return binary.BigEndian.AppendUint32(dst, stream)
}

// appendSettings appends settings, given as pairs of name and value.
func appendSettings(dst []byte, pairs ...uint32) []byte {
	dst = appendFrame(dst, frameSettings, 0, 0, 3*len(pairs))
	for i := 0; i < len(pairs); i += 2 {
		dst = binary.BigEndian.AppendUint16(dst, uint16(pairs[i]))
		dst = binary.BigEndian.AppendUint32(dst, pairs[i+1])
	}
	return dst
}

func appendWindow(dst []byte, stream uint32, by int) []byte {
	return binary.BigEndian.AppendUint32(appendFrame(dst, frameWindow, 0, stream, 4), uint32(by))
}

func appendReset(dst []byte, stream, code uint32) []byte {
	return binary.BigEndian.AppendUint32(appendFrame(dst, frameReset, 0, stream, 4), code)
}

// appendHeaders appends a block of compressed headers, in as many frames as it takes.
func appendHeaders(dst []byte, stream uint32, block []byte, endStream bool, frameSize int) []byte {
	kind, flags := byte(frameHeaders), byte(0)
	if endStream {
		flags = flagEndStream
	}
	for {
		n := min(len(block), frameSize)
		if n == len(block) {
			flags |= flagEndHeaders
		}
		dst = append(appendFrame(dst, kind, flags, stream, n), block[:n]...)
		block = block[n:]
		if len(block) == 0 {
			return dst
		}
		kind, flags = frameContinuation, 0
	}
}

// appendField appends a header that stays out of the table of headers: literal,
// its name new (RFC 7541, 6.2.2).
func appendField(dst []byte, name string, value []byte) []byte {
	dst = append(dst, 0)
	dst = append(appendLength(dst, len(name)), name...)
	return append(appendLength(dst, len(value)), value...)
}

// appendLength appends an integer with a prefix of 7 bits (RFC 7541, 5.1).
func appendLength(dst []byte, n int) []byte {
	if n < 127 {
		return append(dst, byte(n))
	}
	dst, n = append(dst, 127), n-127
	for ; n >= 128; n >>= 7 {
		dst = append(dst, byte(n)|128)
	}
	return append(dst, byte(n))
}

// unpad returns what is between the padding of a DATA or HEADERS frame, and false
// if that is longer than the frame.
func unpad(flags byte, payload []byte) ([]byte, bool) {
	if flags&flagPadded == 0 {
		return payload, true
	}
	if len(payload) == 0 || int(payload[0]) >= len(payload) {
		return nil, false
	}
	return payload[1 : len(payload)-int(payload[0])], true
}
