// Package format is the store's format: values from bytes, and bytes of values. It
// knows neither files nor goroutines nor what time it is; package disk above it does,
// and Pebble, which keeps keys and values.
//
// A profile goes this way; the example follows two of them, byte by byte:
//
//	profile --Interner--> Samples --AppendSamples--> bytes      when it comes
//	Samples --Packer--> Block --Append--> bytes                 when its hour is packed
//	Block.Sums, Rollup.AddHead --Append--> bytes                with that
//	Samples, Block, Sums --Adder--> Dictionary.Profile          when it is asked for
//
// What the words mean:
//
//	partition    the profiles of a service that begin in an epoch, which is a week
//	Dictionary   of a partition: numbers for strings, functions, locations, stacks, and so on
//	piece        what was added to a dictionary at a time, as it is stored
//	node         a location and the node of its caller; a stack is the node of its leaf
//	site         a stack with a set of labels: what samples are of
//	Schema       what a profile has besides samples: sample types, period, comments
//	measures     schemas with the same sample types and period type: values that add up
//	Series       labels and measures: the profiles of a kind of one process
//	fleet        the series that differ only in labels that tell instances apart
//	Head         a profile without its samples: time, id, totals
//	fresh        of a profile that is stored by itself, as it came; else it is packed
//	Block        the samples of some packed profiles of a series: a row per site
//	Rollup       what the packed profiles of a series or fleet add up to in an hour or day
//	Sums         the values of a roll-up, by site
//	Adder        adds up samples, blocks and roll-ups, by site
//	fingerprint  a keyed hash, which stands for what is hashed
//
// Every value begins with a version. Each is drawn beside its codec: keys in key.go
// and doc/reference/format.md, what describes store, partition and hour in
// describe.go, heads in head.go, samples in samples.go, blocks in block.go, columns of
// values in column.go and ints.go, roll-ups in rollup.go, dictionaries in piece.go.
package format
