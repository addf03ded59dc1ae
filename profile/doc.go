// Package profile holds profiles in columns.
//
// A [Profile] is a pprof profile (samples of stacks with one value per sample
// type, and labels) kept in flat slices: a string table, functions, locations,
// source lines, stacks and values, which refer to each other by index. No sample
// is an object of its own: to the garbage collector five million samples are a
// few slices, and a filter is a scan.
//
// Profiles are values: nothing changes a profile that exists. The methods of
// Profile look things up in it or write it out. Functions make another profile of
// it, which shares every column that they leave alone. So a shell or a server can
// keep one decoded profile and answer many questions from it, concurrently and
// without copies. If you build a Profile by hand, it owns the slices that you give
// it.
//
// # From a file to a report
//
//   - Read: [Decode] takes pprof's format and many others, within [Limits]. [Builder]
//     makes a profile sample by sample.
//   - Complete: [RemoveUninteresting] drops the frames that a profile asks to drop.
//   - Add up: [Merge], [Sum] and [Merger] make one profile of several. [Align] first
//     gives them the same sample types and units. [AverageMoments] then divides what
//     a sum has counted several times, such as the memory in use.
//   - Compare: subtract with [Scale] by -1 and [Sum]. [WithLabel] tells the sides
//     apart, and [Normalize] gives both the same total.
//   - Filter: [FilterNames] and [FilterLabels] keep some samples, [ShowFrom] and
//     [PruneFrom] cut stacks, [FilterLabelKeys] drops labels.
//   - Fold: [FoldForeign] adds the cost of libraries to the code that calls them,
//     [Aggregate] forgets details, [AddLabelFrames] turns labels into frames.
//     [Compact] then adds up samples that have become equal.
//   - Report: [NewTree] makes the tree of a flame graph, [Profile.Encode] writes a
//     file for other tools.
//
// For example, this keeps what is below a function, and adds up the samples that
// have become equal:
//
//	p, matched := profile.ShowFrom(p, regexp.MustCompile(`^main\.search$`))
//	if matched {
//		p = profile.Compact(p)
//	}
//
// The format read and written is that of
// https://github.com/google/pprof/blob/main/proto/profile.proto, gzipped or
// not; see [Decode] and [Profile.Encode].
package profile
