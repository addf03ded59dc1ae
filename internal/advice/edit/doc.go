// Package edit builds rewrites and what a finding says of them: edits of the source, texts as code,
// the pieces of what package fmt would format, room in a buffer, and words for sentences. It knows
// no rule.
package edit
