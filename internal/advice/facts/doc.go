// Package facts answers what rules ask about code. Each question has one function; a rule doesn't
// look at the syntax itself. Answers are about what can be seen in the package: what can't be seen
// counts as everything that might happen.
//
// A file asks only those before it:
//
//	types, syntax, names, declared    what an expression, a name or a statement is
//	memory, slices                    which variables and arrays nothing else leads to
//	loops, trips                      what a loop does, and how often it runs
//	nil, effects, call_effects        what running code may do, apart from giving a value
//	aliasing                          whether an expression stays the same while other code runs
//	panics, writers, in_turn          what a program can tell if operands are evaluated in another order
//	invariance, buffers, pools        the same for whole loops, buffers and sync.Pools
//	costly                            which functions of the standard library cost more than needed
//
// Functions that return a list of texts return what a person has to check before applying a
// rewrite. An empty list means that the rewrite is safe.
package facts
