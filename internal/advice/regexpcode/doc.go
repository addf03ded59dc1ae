// Package regexpcode writes Go functions that do what a regular expression does, without package
// regexp, and tests that compare the two.
//
// If the next character decides at each choice of a pattern, its function takes one step of the pattern
// after the other. What matches there is what package regexp prefers, so that it also has places and
// submatches. For a yes or no, other patterns become their smallest automaton, as a loop with a switch
// on its state. For other patterns, Generate returns the reason.
//
// Functions read bytes where that makes no difference, and otherwise characters. An invalid byte counts as
// U+FFFD, as in package regexp; a range loop reads it so, too.
package regexpcode
