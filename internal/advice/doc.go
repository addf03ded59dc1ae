// Package advice finds what to change: it joins what profiles say of a line with
// what the source has there.
//
// Data goes one way:
//
//	profiles → evidence of lines (evidence.go), of the user's modules (module.go)
//	hot packages → syntax and types (source.go), what the compiler says (compiler.go)
//	line → site (site.go) → rules (package rules), analyzers that others keep
//	(analyzer.go) → findings, ranked (advise.go)
//
// One leg alone gives nothing: a pattern on a cold line is not reported, nor a hot
// line without a pattern. What can be gained is bounded by the profile; whether it is
// gained, only measuring tells: see package tune.
package advice
