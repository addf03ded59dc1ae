package branches

import "errors"

type token struct {
	kind int
	text string
	line int
}

type syntaxError struct{ at *token }

func (e *syntaxError) Error() string { return e.at.text }

func find(tokens []token, kind int) *token {
	// says: t escapes to heap
	// want A: The branch at line 19
	for _, t := range tokens { // alloc: runtime.newobject
		if t.kind == kind {
			return &t
		}
	}
	return nil
}

func check(tokens []token) error {
	// says: t escapes to heap
	// want A: leaves t on the stack
	for _, t := range tokens { // alloc: runtime.newobject
		switch t.kind {
		case 0:
			// Nothing comes after the end.
			return &syntaxError{&t}
		case 1:
			return &syntaxError{at: &t}
		}
	}
	return nil
}

// says: t escapes to heap
// want A: A copy in the branch
func parse(t token) (int, error) { // alloc: runtime.newobject
	n := len(t.text)
	if n == 0 {
		return 0, &syntaxError{&t}
	} else if t.kind > 3 {
		panic(&syntaxError{&t})
	}
	return n + t.line, nil
}

// Breaks and continues of a loop in the branch don't leave it.
//
// says: t escapes to heap
// want A: A copy in the branch
func within(t token, all []token) *token { // alloc: runtime.newobject
	if t.kind == 1 {
		for _, other := range all {
			if other.kind == 0 {
				continue
			}
			t.line += other.line
			if t.line > 100 {
				break
			}
		}
		return &t
	}
	return nil
}

func collect(tokens []token, kept map[string]*token) (n int) {
	for i := range tokens {
		// says: t escapes to heap
		// want A: allocated here each time
		t := tokens[i] // alloc: runtime.newobject
		t.line += i
		if t.kind == 7 {
			kept[t.text] = &t
			continue
		}
		n += t.line
	}
	return n
}

func later(tokens []token, do func(func() error)) {
	// says: t escapes to heap
	// want A: even if the branch
	for i, t := range tokens { // alloc: runtime.newobject
		t.line = i
		if t.kind == 3 {
			do(func() error {
				if t.line++; t.line > 3 {
					return errors.New(t.text)
				}
				return nil
			})
			break
		}
	}
}
