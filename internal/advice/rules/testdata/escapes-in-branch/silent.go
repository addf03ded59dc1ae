package silent

import "sync"

type token struct {
	kind int
	text string
}

type guarded struct {
	sync.Mutex
	n int
}

// The variable is used after the branch.
func used(tokens []token, keep func(*token)) (n int) {
	for i := range tokens {
		// says: t escapes to heap
		t := tokens[i] // alloc: runtime.newobject
		if t.kind == 1 {
			keep(&t)
		}
		n += t.kind
	}
	return n
}

// The loop's next iteration uses it.
func carried(tokens []token, keep func(*token)) int {
	// says: last escapes to heap
	var last token // alloc: runtime.newobject
	for _, t := range tokens {
		if t.kind == 1 {
			keep(&last)
			continue
		}
		last = t
	}
	return last.kind
}

// A way out of the branch leads to the next iteration, which uses it.
func nested(tokens []token, keep func(*token)) *token {
	// says: last escapes to heap
	var last token // alloc: runtime.newobject
	for _, t := range tokens {
		last.kind += t.kind
		if last.kind > 1 {
			if last.kind > 2 {
				keep(&last)
				continue
			}
			keep(&last)
			return &last
		}
	}
	return nil
}

// Break ends the switch, not the iteration.
func broken(tokens []token, keep func(*token)) (n int) {
	// says: t escapes to heap
	for _, t := range tokens { // alloc: runtime.newobject
		switch t.kind {
		case 1:
			keep(&t)
			break
		}
		n += t.kind
	}
	return n
}

// A deferred function uses it, too.
// says: t escapes to heap
func deferred(t token, keep func(*token)) (n int) { // alloc: runtime.newobject
	defer func() { n += t.kind }()
	if t.kind == 2 {
		keep(&t)
		return 1
	}
	return 2
}

// The return is the literal's.
func inLiteral(keep func(*token)) int {
	// says: t escapes to heap
	var t token // alloc: runtime.newobject
	func() {
		if len(t.text) == 0 {
			keep(&t)
			return
		}
	}()
	return t.kind
}

// Not in a branch.
func always(keep func(*token)) *token {
	// says: t escapes to heap
	t := token{kind: 1} // alloc: runtime.newobject
	keep(&t)
	return &t
}

// Its address is in use when the branch begins.
func earlier(tokens []token) *token {
	// says: t escapes to heap
	for _, t := range tokens { // alloc: runtime.newobject
		p := &t
		if p.kind == 3 {
			return p
		}
	}
	return nil
}

// A lock isn't copied.
func locked(n int) *guarded {
	// says: g escapes to heap
	var g guarded // alloc: runtime.newobject
	g.n = n
	if n > 3 {
		return &g
	}
	return nil
}

// A result lives on.
// says: t escapes to heap
func result(keep func(*token)) (t token) { // alloc: runtime.newobject
	t.kind = 3
	if keep != nil {
		keep(&t)
		return
	}
	return token{}
}

// The name has another meaning in the branch.
func named(tokens []token, keep func(*token)) {
	// says: t escapes to heap
	for _, t := range tokens { // alloc: runtime.newobject
		if t.kind == 1 {
			keep(&t)
			t := t.text
			_ = t
			return
		}
	}
}

// It doesn't move to the heap.
func stays(tokens []token, read func(token)) {
	for _, t := range tokens { // alloc: runtime.newobject
		if t.kind == 1 {
			p := &t
			read(*p)
			return
		}
	}
}
