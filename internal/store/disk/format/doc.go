// Package format encodes and decodes the values of the store. It knows nothing of files,
// goroutines or the current time: those belong to package disk, and to Pebble, which
// stores the keys and values.
//
// A profile passes these steps; the example follows two profiles, byte by byte:
//
//	profile --Interner--> Samples --AppendSamples--> bytes      when it arrives
//	Samples --Packer--> Block --Append--> bytes                 when its hour is packed
//	Block.Sums, Rollup.AddHead --Append--> bytes                at the same time
//	Samples, Block, Sums --Adder--> Dictionary.Profile          in a query
//
// Terms:
//
//	partition    the profiles of a service that begin in an epoch, which is a week
//	Dictionary   numbers for the strings, functions, locations, stacks and so on of a partition
//	piece        a stored part of a dictionary: what one batch added to it
//	node         a location and the node of its caller; a stack is the node of its leaf
//	site         a stack with a set of labels; each sample belongs to one
//	Schema       everything else in a profile: sample types, period, comments
//	measures     schemas with the same sample types and period type, whose values add up
//	Series       labels and measures: the profiles of one kind from one process
//	fleet        the series that differ only in their instance labels
//	Head         a profile without its samples: time, id, totals
//	fresh        a profile that is stored on its own, as it arrived, and not packed yet
//	Block        the samples of some packed profiles of a series: a row per site
//	Rollup       the sum of the packed profiles of a series or fleet in an hour or day
//	Sums         the values of a roll-up, by site
//	Adder        adds up samples, blocks and roll-ups, by site
//	fingerprint  a keyed hash, used in place of what is hashed
//
// Every value starts with a version. Each format is drawn next to its codec: keys in
// key.go and doc/reference/format.md, descriptions of store, partition and hour in
// describe.go, heads in head.go, samples in samples.go, blocks in block.go, columns of
// values in column.go and ints.go, roll-ups in rollup.go, dictionaries in piece.go.
package format
