package reports

import (
	"context"
	"unsafe"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/profile"
)

// ProfileBytes returns about how much memory a profile takes.
func ProfileBytes(p *profile.Profile) int64 {
	n := sliceBytes(p.Stacks) + sliceBytes(p.Frames) + sliceBytes(p.Locations) + sliceBytes(p.Lines) + sliceBytes(p.Functions) +
		sliceBytes(p.Strings) + sliceBytes(p.SampleLabels) + sliceBytes(p.LabelSets) + sliceBytes(p.Labels) + sliceBytes(p.Mappings)
	for _, column := range p.Values {
		n += sliceBytes(column)
	}
	for _, s := range p.Strings {
		n += int64(len(s))
	}
	return n + p.StackTree().Bytes()
}

func sliceBytes[T any](s []T) int64 {
	var t T
	return int64(len(s)) * int64(unsafe.Sizeof(t))
}

// takeFor takes the memory for a profile that is made from others: at most theirs, and
// as much again for the tables that find equal parts.
func takeFor(ctx context.Context, ps ...*profile.Profile) error {
	n := int64(0)
	for _, p := range ps {
		n += 2 * ProfileBytes(p)
	}
	return ingest.TakeFor(ctx, n)
}
