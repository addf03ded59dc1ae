package clickhouse

import (
	"unsafe"

	"github.com/hone-go/hone/profile"
)

// An account is the memory taken from a query's budget. The budget may be nil.
type account struct {
	of    profile.Budget
	taken int64
}

func (a *account) take(n int64) error {
	if a.of == nil {
		return nil
	}
	if err := a.of.Take(n); err != nil {
		return err
	}
	a.taken += n
	return nil
}

func (a *account) give(n int64) {
	if a.of != nil {
		a.of.Give(n)
		a.taken -= n
	}
}

// sizeOf estimates the memory of a profile in bytes, without its strings, which belong to the
// lexicon.
func sizeOf(p *profile.Profile) int64 {
	size := func(n int, of uintptr) int64 { return int64(n) * int64(of) }
	return size(len(p.Strings), unsafe.Sizeof("")) + size(len(p.Functions), unsafe.Sizeof(profile.Function{})) +
		size(len(p.Locations), unsafe.Sizeof(profile.Location{})) + size(len(p.Lines), unsafe.Sizeof(profile.Line{})) +
		size(len(p.Labels), unsafe.Sizeof(profile.Label{})) + size(len(p.LabelSets), unsafe.Sizeof(profile.LabelSet{})) +
		size(len(p.Frames)+len(p.SampleLabels), 4) + size(len(p.Stacks), unsafe.Sizeof(profile.Stack{})+8*uintptr(len(p.Values)))
}
