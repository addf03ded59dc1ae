// Package flow answers questions about values: what becomes of a result, whether a function computes the same
// twice, what a loop computes anew although nothing changes. Syntax alone can't answer them, because a value goes
// through variables, branches and calls. So they are asked of the SSA form of a package: each value has one
// definition, and all its uses are known.
//
// The form is built for a package when the first question about it is asked, from what the package was already
// loaded with. Other packages have no bodies here: a call of their functions counts as anything that might happen,
// except for those that package facts knows.
//
// A file asks only those before it:
//
//	graph       the form, and where an expression is in it
//	memory      what may change memory, and what may run between two instructions
//	same        whether two values are the same
//	loops       what repeats an instruction, and what stays the same meanwhile
//	uses        what becomes of a value
//	twice       calls that a function repeats
//	products    products with common factors
//	needless    values that are needed rarely, or copied or converted for nothing
//	callers     how other functions of the package call a function
//	searches    slices that are searched in each iteration
//
// All answers are about one run of a function in one goroutine. Memory that another goroutine changes without
// synchronization in between isn't seen, as Go's memory model allows.
package flow
