package format

import (
	"encoding/binary"
	"math"
	"time"
)

// The value of the key 'F' is
//
//	1            version of the format: of keys, and of what has no version of its own
//	epoch        varint: length of the epochs, ns
//	day          varint: length of the longest roll-ups, ns
const formatVersion = 1

// AppendFormat appends the value of the key 'F'. epoch is the length of epochs in ns.
func AppendFormat(b []byte, epoch int64) []byte {
	b = binary.AppendUvarint(append(b, formatVersion), uint64(epoch))
	return binary.AppendUvarint(b, uint64(dayLength))
}

// ReadFormat returns the length of epochs in ns from the value of the key 'F'.
func ReadFormat(value []byte) (epoch int64, err error) {
	r := Reader{b: value}
	r.version(formatVersion)
	epoch = int64(r.Uvarint())
	r.Uvarint()
	if err := r.end(); err != nil {
		return 0, InKey([]byte{KindFormat}, err)
	}
	if epoch <= 0 {
		return 0, Damaged([]byte{KindFormat}, "it says that epochs are %d ns long", epoch)
	}
	return epoch, nil
}

// A Partition is the description of a partition, the value of its key.
type Partition struct {
	Epoch    int64 // start, ns since 1970
	Service  string
	Instance []string  // names of labels that tell instances apart, sorted
	Dropped  Hour      // hours before it were dropped
	Problem  string    // why it is set aside; "" if it isn't
	Since    time.Time // when it was; zero if it isn't
}

// The value of a partition's key is
//
//	1          version; 2 with a problem
//	epoch      zigzag varint, ns
//	service    string
//	n          number of labels that tell instances apart
//	name*      strings
//	dropped    zigzag varint: the hour before which profiles were dropped
//	problem    string, with version 2: the partition is set aside
//	since      zigzag varint, with version 2: when it was, ns
const (
	partitionVersion = 1
	asideVersion     = 2
)

// Deleted is the description of a deleted partition until none of its data is on the disk. The
// deletions of its other keys are all in one place of a table, and could be lost together.
var Deleted = Partition{Dropped: math.MaxInt32}

// Deleted reports whether the partition was deleted.
func (p *Partition) Deleted() bool { return p.Service == "" && p.Dropped == Deleted.Dropped }

// Append appends the encoded description to b.
func (p *Partition) Append(b []byte) []byte {
	if p.Problem == "" {
		b = append(b, partitionVersion)
	} else {
		b = append(b, asideVersion)
	}
	b = appendVarint(b, p.Epoch)
	b = appendString(b, p.Service)
	b = binary.AppendUvarint(b, uint64(len(p.Instance)))
	for _, n := range p.Instance {
		b = appendString(b, n)
	}
	b = appendVarint(b, int64(p.Dropped))
	if p.Problem != "" {
		b = appendVarint(appendString(b, p.Problem), p.Since.UnixNano())
	}
	return b
}

// ReadPartition decodes a description.
func ReadPartition(value []byte) (p Partition, err error) {
	r := Reader{b: value}
	aside := len(value) > 0 && value[0] == asideVersion
	if aside {
		r.version(asideVersion)
	} else {
		r.version(partitionVersion)
	}
	p.Epoch, p.Service = r.varint(), r.str()
	p.Instance = make([]string, r.Count(1))
	for i := range p.Instance {
		p.Instance[i] = r.str()
	}
	p.Dropped = Hour(r.varint())
	if aside {
		p.Problem, p.Since = r.str(), time.Unix(0, r.varint())
	}
	return p, r.end()
}

// A Summary is of the packed profiles of an hour. It is stored as
//
//	1                              version
//	profiles blocks lastSeq bytes  varints
//	first last                     zigzag varints: times, ns
type Summary struct {
	Profiles    uint64
	Blocks      uint64 // number of the next block
	LastSeq     uint64
	Bytes       uint64 // size of the blocks
	First, Last int64  // times of the first and last profile
}

const summaryVersion = 1

// Append appends the encoded summary to b.
func (s *Summary) Append(b []byte) []byte {
	b = append(b, summaryVersion)
	for _, v := range [...]uint64{s.Profiles, s.Blocks, s.LastSeq, s.Bytes} {
		b = binary.AppendUvarint(b, v)
	}
	return appendVarint(appendVarint(b, s.First), s.Last)
}

// ReadSummary decodes a summary.
func ReadSummary(value []byte) (s Summary, err error) {
	r := Reader{b: value}
	r.version(summaryVersion)
	s.Profiles, s.Blocks, s.LastSeq, s.Bytes = r.Uvarint(), r.Uvarint(), r.Uvarint(), r.Uvarint()
	s.First, s.Last = r.varint(), r.varint()
	return s, r.end()
}
