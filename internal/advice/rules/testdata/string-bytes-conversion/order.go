package order

import (
	"bytes"
)

type sender struct {
	buf  *bytes.Buffer
	text string
}

var greeting = "hello"

func greet() string { greeting += "!"; return greeting }

// callFirst is called before the index now, which isn't converted with the calls any more.
func callFirst(xs []string, i int) bool {
	// want B: Also check that xs[i] doesn't panic
	return bytes.Contains([]byte(xs[i]), []byte(greet())) // hot: runtime.stringtoslicebyte
}

func readFirst() bool {
	// want B: that later calls in the statement don't change greeting
	return bytes.Contains([]byte(greeting), []byte(greet())) // hot: runtime.stringtoslicebyte
}

func inTurn(xs []string, p *sender, i int) bool {
	// want A: which doesn't need a copy
	return bytes.Contains([]byte(xs[i]), []byte(p.text)) // hot: runtime.stringtoslicebyte
}

func asserted(xs []string, v any, i int) bool {
	// want B: that xs[i] doesn't panic: it is now evaluated after
	return bytes.Equal([]byte(xs[i]), []byte(v.(string))) // hot: runtime.stringtoslicebyte
}

func receiver(p *sender, xs []string, i int) {
	// want B: that xs[i] doesn't panic: it is now evaluated after p.buf
	p.buf.Write([]byte(xs[i])) // hot: runtime.stringtoslicebyte
}

func field(p *sender) {
	// want A: use WriteString of p.buf
	p.buf.Write([]byte(p.text)) // hot: runtime.stringtoslicebyte
}
