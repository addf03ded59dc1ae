// Package advice finds what to change: it joins what profiles show for a line with the source of that
// line.
//
// Data goes one way:
//
//	profiles → evidence of lines (evidence.go), of the user's modules (module.go)
//	hot packages → syntax and types (source.go), what the compiler says (compiler.go)
//	line → site (site.go) → rules (package rules), analyzers that others keep
//	(analyzer.go) → findings, ranked (advise.go)
//
// A finding needs both: a pattern on a cold line is not reported, nor is a hot line without a pattern.
// The profile limits what can be gained; only a measurement shows whether it is gained: see package
// tune.
package advice
