package format

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
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
	KindFormat     = 'F'
	KindPartition  = 'P'
	KindDictionary = 'd'
	KindHead       = 'h'
	KindSamples    = 'v'
	KindSummary    = 'n'
	KindHeads      = 'c'
	KindBlock      = 'b'
	KindRollup     = 'u'
	KindSums       = 'w'
)

// PerPartition has the kinds of keys that contain a partition.
var PerPartition = []byte{KindPartition, KindDictionary, KindHead, KindSamples, KindSummary, KindHeads, KindBlock, KindRollup, KindSums}

// PerHour has the kinds of keys that contain a partition and then an hour.
var PerHour = []byte{KindHead, KindSamples, KindSummary, KindHeads, KindBlock}

// keyLengths has the lengths of keys in bytes, by kind.
var keyLengths = map[byte]int{
	KindFormat: 1, KindPartition: 5, KindDictionary: 9, KindHead: 17, KindSamples: 17,
	KindSummary: 9, KindHeads: 9, KindBlock: 13, KindRollup: 14, KindSums: 14,
}

// CheckKey returns an error if the length of a key is wrong for its kind.
func CheckKey(key []byte) error {
	if n := keyLengths[key[0]]; len(key) != n {
		return fmt.Errorf("the key has %d bytes, not %d", len(key), n)
	}
	return nil
}

const hourLength = int64(time.Hour)

// An Hour is a number of hours since 1970 UTC.
type Hour int32

// MinHour is before all hours.
const MinHour = Hour(-1 << 31)

// HourOf returns the hour that contains t, in ns since 1970.
func HourOf(t int64) Hour { return Hour(windowOf(t, hourLength)) }

// windowOf returns the number of the window that contains t. Windows of the given length are
// numbered from 1970; earlier ones have negative numbers.
func windowOf(t, length int64) int64 {
	n := t / length
	if t%length < 0 {
		n--
	}
	return n
}

// Start returns the beginning of the hour, in ns since 1970.
func (h Hour) Start() int64 { return int64(h) * hourLength }

// End returns the beginning of the next hour, in ns since 1970.
func (h Hour) End() int64 { return (int64(h) + 1) * hourLength }

func (h Hour) String() string { return time.Unix(0, h.Start()).UTC().Format("2006-01-02T15h") }

// PartitionKey returns the key of a partition, or the common prefix of its keys of a kind. The
// functions below do the same with more numbers.
func PartitionKey(kind byte, partition uint32) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, 24), kind), partition)
}

// PartitionOfKey returns the partition in a key. ok is false if the key has none.
func PartitionOfKey(key []byte) (id uint32, ok bool) {
	if len(key) < 5 || !slices.Contains(PerPartition, key[0]) {
		return 0, false
	}
	return binary.BigEndian.Uint32(key[1:]), true
}

// HourOfKey returns the hour in a key of a kind in PerHour.
func HourOfKey(key []byte) Hour { return Hour(flip(int32(binary.BigEndian.Uint32(key[5:])))) }

// SeqOfKey returns the number of the profile in a key.
func SeqOfKey(key []byte) uint64 { return binary.BigEndian.Uint64(key[9:]) }

// BlockOfKey returns the number of the block in a key.
func BlockOfKey(key []byte) uint32 { return binary.BigEndian.Uint32(key[9:]) }

func flip(n int32) uint32 { return uint32(n) ^ 1<<31 }

func HourKey(kind byte, partition uint32, h Hour) []byte {
	return binary.BigEndian.AppendUint32(PartitionKey(kind, partition), flip(int32(h)))
}

func SeqKey(kind byte, partition uint32, h Hour, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(HourKey(kind, partition, h), seq)
}

func BlockKey(partition uint32, h Hour, block uint32) []byte {
	return binary.BigEndian.AppendUint32(HourKey(KindBlock, partition, h), block)
}

func DictionaryKey(partition, chunk uint32) []byte {
	return binary.BigEndian.AppendUint32(PartitionKey(KindDictionary, partition), chunk)
}

func WindowKey(kind byte, partition uint32, level uint8, window int32) []byte {
	return binary.BigEndian.AppendUint32(append(PartitionKey(kind, partition), level), flip(window))
}

func RollupKey(kind byte, partition uint32, level uint8, window int32, owner uint32) []byte {
	return binary.BigEndian.AppendUint32(WindowKey(kind, partition, level, window), owner)
}

// After returns the first key after all keys that begin with prefix, nil if there is none.
func After(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// KeyName describes a key for messages.
func KeyName(k []byte) string {
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
		return fmt.Sprintf("%s of partition %d, hour %v", what, u32(1), Hour(flip(int32(u32(5)))))
	}
	seq := uint64(u32(9))<<32 | uint64(u32(13))
	switch k[0] {
	case KindFormat:
		return "the description of the store"
	case KindPartition:
		return fmt.Sprintf("partition %d", u32(1))
	case KindDictionary:
		return fmt.Sprintf("piece %d of the dictionary of partition %d", u32(5), u32(1))
	case KindHead:
		return at(fmt.Sprintf("the head of profile %d", seq))
	case KindSamples:
		return at(fmt.Sprintf("the samples of profile %d", seq))
	case KindSummary:
		return at("the summary")
	case KindHeads:
		return at("the list of profiles")
	case KindBlock:
		return at(fmt.Sprintf("block %d", u32(9)))
	case KindRollup, KindSums:
		if len(k) < 6 {
			break
		}
		return fmt.Sprintf("the roll-up of owner %d, level %d, window %d of partition %d", u32(10), k[5], int32(flip(int32(u32(6)))), u32(1))
	}
	return fmt.Sprintf("key %q", k)
}
