package scanning

import "bufio"

type parser struct {
	sc *bufio.Scanner
	n  int
}

func (p *parser) skip() {
	p.sc.Scan()
	p.n++
}

func more(sc *bufio.Scanner) bool { return sc.Scan() }

// What is called may scan the next line, over the one that is still looked at.
func (p *parser) entry() bool {
	line := p.sc.Text() // hot: bufio.(*Scanner).Text
	p.skip()
	return line == "entry"
}

func pairs(sc *bufio.Scanner) (n int) {
	advance := func() bool { return sc.Scan() }
	for sc.Scan() {
		key := sc.Text() // hot: bufio.(*Scanner).Text
		if !more(sc) {
			break
		}
		value := sc.Text() // hot: bufio.(*Scanner).Text
		advance()
		if key == "a" && value == "b" {
			n++
		}
	}
	return n
}

func (p *parser) repeated() (n int) {
	line := p.sc.Text() // hot: bufio.(*Scanner).Text
	for i := range 3 {
		if line == "again" {
			n += i
		}
		p.skip()
	}
	return n
}

// trimmed has bytes of its own.
type trimmed struct{ *bufio.Scanner }

func (t trimmed) Bytes() []byte { return t.Scanner.Bytes()[1:] }

func (t trimmed) last() bool {
	line := t.Text() // hot: bufio.(*Scanner).Text
	return line == "end"
}
