package strjoin

import "strings"

// findJoin is findEscapingJoin with a call the compiler can look into: the
// slice does not escape and lies on the stack.
func (t *Table) findJoin(method, path string) (string, bool) {
	handler, ok := t.routes[strings.Join([]string{method, path}, " ")]
	return handler, ok
}

// findEscapingConcat joins with an operator: no slice, and no loop over it.
// The key outlives the call, so it is allocated as before.
func (t *Table) findEscapingConcat(method, path string) (string, bool) {
	t.last = method + " " + path
	handler, ok := t.routes[t.last]
	return handler, ok
}

// findConcat is findEscapingConcat with a key that nobody keeps: up to 32
// bytes it lies on the stack.
func (t *Table) findConcat(method, path string) (string, bool) {
	handler, ok := t.routes[method+" "+path]
	return handler, ok
}

// findBuffer is findConcat with room for longer keys. The compiler makes no
// string of a []byte that is only looked up.
func (t *Table) findBuffer(method, path string) (string, bool) {
	var room [128]byte
	key := append(room[:0], method...)
	key = append(key, ' ')
	key = append(key, path...)
	handler, ok := t.routes[string(key)]
	return handler, ok
}
