package disk

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// Keys begin with a byte that tells what they are of. Numbers are big-endian, so
// that keys are in the order of the numbers; hours and windows, which may be
// before 1970, have their highest bit flipped.
//
//	'F'                                       what the store is: format, epoch length, ...
//	'P' partition:u32                         a partition: its epoch and service
//	'd' partition:u32 chunk:u32               a piece of its dictionary
//	'h' partition:u32 hour:u32 seq:u64        head of a profile that isn't packed
//	'v' partition:u32 hour:u32 seq:u64        its samples
//	'n' partition:u32 hour:u32                summary of an hour's packed profiles
//	'c' partition:u32 hour:u32                their heads
//	'b' partition:u32 hour:u32 block:u32      their samples, a block of some profiles of a series
//	'u' partition:u32 level:u8 window:u32 owner:u32   head of a roll-up
//	'w' partition:u32 level:u8 window:u32 owner:u32   its samples
//
// What comes and goes ('h', 'v') has keys apart from what stays.
const (
	keyFormat    = 'F'
	keyPartition = 'P'
	keyDict      = 'd'
	keyHead      = 'h'
	keySamples   = 'v'
	keyHour      = 'n'
	keyHeads     = 'c'
	keyBlock     = 'b'
	keyRollup    = 'u'
	keySums      = 'w'
)

// perPartition are the kinds of keys that begin with a partition.
var perPartition = []byte{keyPartition, keyDict, keyHead, keySamples, keyHour, keyHeads, keyBlock, keyRollup, keySums}

// perHour are those of them with an hour behind it.
var perHour = []byte{keyHead, keySamples, keyHour, keyHeads, keyBlock}

const hourLength = int64(time.Hour)

// An hour is a number of hours since 1970.
type hour int32

// minHour is before all hours.
const minHour = hour(-1 << 31)

func hourOf(t int64) hour { return hour(store.Window(t, hourLength) / hourLength) }

func (h hour) start() int64 { return int64(h) * hourLength }
func (h hour) end() int64   { return (int64(h) + 1) * hourLength }

func (h hour) String() string { return time.Unix(0, h.start()).UTC().Format("2006-01-02T15h") }

func partitionKey(kind byte, partition uint32) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, 24), kind), partition)
}

func flip(n int32) uint32 { return uint32(n) ^ 1<<31 }

func hourKey(kind byte, partition uint32, h hour) []byte {
	return binary.BigEndian.AppendUint32(partitionKey(kind, partition), flip(int32(h)))
}

func seqKey(kind byte, partition uint32, h hour, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(hourKey(kind, partition, h), seq)
}

func blockKey(partition uint32, h hour, block uint32) []byte {
	return binary.BigEndian.AppendUint32(hourKey(keyBlock, partition, h), block)
}

func dictKey(partition, chunk uint32) []byte {
	return binary.BigEndian.AppendUint32(partitionKey(keyDict, partition), chunk)
}

func windowKey(kind byte, partition uint32, level uint8, window int32) []byte {
	return binary.BigEndian.AppendUint32(append(partitionKey(kind, partition), level), flip(window))
}

func rollupKey(kind byte, partition uint32, level uint8, window int32, owner uint32) []byte {
	return binary.BigEndian.AppendUint32(windowKey(kind, partition, level, window), owner)
}

// after returns the first key behind all that begin with prefix.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// keyName describes a key for messages.
func keyName(k []byte) string {
	if len(k) == 0 {
		return "the empty key"
	}
	u32 := func(at int) uint32 {
		if len(k) < at+4 {
			return 0
		}
		return binary.BigEndian.Uint32(k[at:])
	}
	at := func(what string) string {
		return fmt.Sprintf("%s of partition %d, hour %v", what, u32(1), hour(flip(int32(u32(5)))))
	}
	seq := uint64(u32(9))<<32 | uint64(u32(13))
	switch k[0] {
	case keyFormat:
		return "the description of the store"
	case keyPartition:
		return fmt.Sprintf("partition %d", u32(1))
	case keyDict:
		return fmt.Sprintf("piece %d of the dictionary of partition %d", u32(5), u32(1))
	case keyHead:
		return at(fmt.Sprintf("the head of profile %d", seq))
	case keySamples:
		return at(fmt.Sprintf("the samples of profile %d", seq))
	case keyHour:
		return at("the summary")
	case keyHeads:
		return at("the list of profiles")
	case keyBlock:
		return at(fmt.Sprintf("block %d", u32(9)))
	case keyRollup, keySums:
		if len(k) < 6 {
			break
		}
		return fmt.Sprintf("the roll-up of owner %d, level %d, window %d of partition %d", u32(10), k[5], int32(flip(int32(u32(6)))), u32(1))
	}
	return fmt.Sprintf("key %q", k)
}
