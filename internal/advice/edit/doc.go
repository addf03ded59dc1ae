// Package edit builds rewrites and the texts of findings: edits of the source, texts as code, the
// pieces that package fmt would format, capacity in a buffer, and words for sentences. It doesn't know
// rules.
package edit
