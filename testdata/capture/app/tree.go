package main

import (
	"context"
	"strings"
	"unicode"
)

// trees parses and evaluates arithmetic: a wide call graph with shared
// functions, several callers each.
func trees(ctx context.Context) error {
	text := strings.Repeat("(1+2*3-(4/5)+abs(6-7)*max(8,9)) + ", 200) + "1"
	total := 0.0
	for ctx.Err() == nil {
		p := parser{text: []rune(text)}
		e := p.sum()
		total += e.eval()
		keep = simplify(e)
	}
	return nil
}

type expr interface{ eval() float64 }

type (
	number float64
	binary struct {
		op   rune
		l, r expr
	}
	call struct {
		name string
		args []expr
	}
)

func (n number) eval() float64 { return float64(n) }

func (b *binary) eval() float64 {
	l, r := b.l.eval(), b.r.eval()
	switch b.op {
	case '+':
		return l + r
	case '-':
		return l - r
	case '*':
		return l * r
	}
	return l / r
}

func (c *call) eval() float64 {
	x := c.args[0].eval()
	switch c.name {
	case "abs":
		return max(x, -x)
	case "max":
		return max(x, c.args[1].eval())
	}
	return x
}

func simplify(e expr) expr {
	switch e := e.(type) {
	case *binary:
		l, r := simplify(e.l), simplify(e.r)
		if l, ok := l.(number); ok {
			if r, ok := r.(number); ok {
				return number((&binary{e.op, l, r}).eval())
			}
		}
		return &binary{e.op, l, r}
	case *call:
		args := make([]expr, len(e.args))
		for i, a := range e.args {
			args[i] = simplify(a)
		}
		return &call{e.name, args}
	}
	return e
}

type parser struct {
	text []rune
	pos  int
}

func (p *parser) peek() rune {
	for p.pos < len(p.text) && unicode.IsSpace(p.text[p.pos]) {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

func (p *parser) accept(set string) (rune, bool) {
	if r := p.peek(); r != 0 && strings.ContainsRune(set, r) {
		p.pos++
		return r, true
	}
	return 0, false
}

func (p *parser) sum() expr     { return p.chain("+-", p.product) }
func (p *parser) product() expr { return p.chain("*/", p.primary) }

func (p *parser) chain(ops string, operand func() expr) expr {
	e := operand()
	for {
		op, ok := p.accept(ops)
		if !ok {
			return e
		}
		e = &binary{op, e, operand()}
	}
}

func (p *parser) primary() expr {
	if _, ok := p.accept("("); ok {
		e := p.sum()
		p.accept(")")
		return e
	}
	start := p.pos
	if unicode.IsLetter(p.peek()) {
		for unicode.IsLetter(p.peek()) {
			p.pos++
		}
		c := &call{name: string(p.text[start:p.pos])}
		p.accept("(")
		for {
			c.args = append(c.args, p.sum())
			if _, more := p.accept(","); !more {
				break
			}
		}
		p.accept(")")
		return c
	}
	value := 0
	for unicode.IsDigit(p.peek()) {
		value = value*10 + int(p.text[p.pos]-'0')
		p.pos++
	}
	return number(value)
}
