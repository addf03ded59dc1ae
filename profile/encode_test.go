package profile

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	gp "github.com/google/pprof/profile"
)

// notLarger fails the test if p is larger, before compression, than what google/pprof writes
// for the same profile.
func notLarger(t *testing.T, p *Profile, same *gp.Profile) {
	t.Helper()
	var got, want bytes.Buffer
	if err := p.EncodeUncompressed(&got); err != nil {
		t.Fatal(err)
	}
	if err := same.WriteUncompressed(&want); err != nil {
		t.Fatal(err)
	}
	if got.Len() > want.Len() {
		t.Errorf("encoded as %d bytes, which are %d for google/pprof", got.Len(), want.Len())
	}
}

// Lists of every length around the one from which numbers are packed are no larger than
// google/pprof writes them: frames, values and comments.
func TestEncodeLists(t *testing.T) {
	for n := range 5 {
		for _, first := range []uint64{1, 1 << 10} { // ids of one byte, and of two
			t.Run(fmt.Sprintf("%d from %d", n, first), func(t *testing.T) {
				want := &gp.Profile{}
				sample := &gp.Sample{}
				for i := range n {
					want.SampleType = append(want.SampleType, &gp.ValueType{Type: fmt.Sprint("type", i), Unit: "count"})
					sample.Value = append(sample.Value, int64(first)+int64(i))
					want.Comments = append(want.Comments, fmt.Sprint("comment ", i))
					l := &gp.Location{ID: first + uint64(i), Address: 16 * uint64(i+1)}
					want.Location = append(want.Location, l)
					sample.Location = append(sample.Location, l)
				}
				if n > 0 {
					want.Sample = append(want.Sample, sample)
				}
				var buf bytes.Buffer
				if err := want.WriteUncompressed(&buf); err != nil {
					t.Fatal(err)
				}
				p, err := DecodeBytes(buf.Bytes(), Limits{})
				if err != nil {
					t.Fatal(err)
				}
				notLarger(t, p, want)
			})
		}
	}
}

// A string is written once, however many rows of the table hold it: frames made of labels, a
// label that is set, and a file may each repeat what is there.
func TestEncodeStringsOnce(t *testing.T) {
	data := append(tiny(), msg{}.strings("worker", "main", "main").num(13, 5).num(9, 77)...)
	repeated, err := DecodeBytes(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p := WithLabel(WithLabel(repeated, "worker", "main"), "thread", "main")
	p, _, _, err = AddLabelFrames(context.Background(), p, []string{"worker"}, []string{"thread", "worker"}, false,
		func(int64, string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := p.EncodeUncompressed(&buf); err != nil {
		t.Fatal(err)
	}
	q, err := DecodeBytes(buf.Bytes(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	diffLines(t, rawText(t, q), rawText(t, p))
	seen := map[string]bool{}
	for _, s := range q.Strings {
		if seen[s] {
			t.Errorf("%q is written twice", s)
		}
		seen[s] = true
	}
	for _, s := range []string{"", "cpu", "main", "worker", "thread"} {
		if !seen[s] {
			t.Errorf("%q is missing", s)
		}
	}
}
