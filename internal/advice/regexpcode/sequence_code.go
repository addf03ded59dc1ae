package regexpcode

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A sequenceWriter writes the steps of a sequence as statements. At any time, the variable i is where
// the text is read.
type sequenceWriter struct {
	*writer
	fail     string         // the statement if the pattern doesn't match
	here     string         // a variable or number that i is equal to, if any
	marks    int            // variables declared so far
	opened   map[int]string // where submatches begin
	optional map[int]bool   // submatches that may not take part
	back     *backtrack     // inside of a group that is left out if it fails
	check    check          // the latest one outside of such a group
}

// A check is a statement that returns if the pattern doesn't match.
type check struct {
	text  string // from here on, what was written
	holds string // the condition to go on
	at    int    // the length of the text before
}

// A backtrack says what to do where a group fails that the pattern can do without.
type backtrack struct {
	undo   string // the statements
	loop   bool   // the group is the body of a loop
	nested int    // blocks to close at the end of the group
}

var errNested = errors.New("what follows a group that may be left out depends on too much inside of it")

// write writes steps, which come before others. Guarded means that the first step is known to succeed.
func (w *sequenceWriter) write(q sequence, then follow, guarded bool) error {
	for i := range q {
		n, rest := &q[i], q[i+1:].follow(then)
		last := i+1 == len(q)
		var err error
		switch n.op {
		case opOpen:
			if w.wantsGroups() {
				w.opened[n.number] = w.mark()
			}
			continue
		case opClose:
			if w.wantsGroups() {
				w.close(n.number)
			}
			continue
		case opText:
			w.text(n, guarded)
		case opChars:
			w.chars(n, guarded, last)
		case opGroup:
			err = w.group(n, rest, guarded)
		case opChoice:
			err = w.choice(n, rest)
		case opEnd:
			if w.want == wantMatch && w.back == nil {
				w.printf("return i == len(%s)\n", w.v())
				return nil
			}
			w.failIf(fmt.Sprintf("i < len(%s)", w.v()), fmt.Sprintf("i == len(%s)", w.v()), last)
		}
		if err != nil {
			return err
		}
		guarded = false
	}
	return nil
}

// mark returns a variable or number with the current value of i.
func (w *sequenceWriter) mark() string {
	if w.here == "" {
		w.here = "from"
		if w.marks++; w.marks > 1 {
			w.here += fmt.Sprint(w.marks)
		}
		w.printf("%s := i\n", w.here)
	}
	return w.here
}

// plus is the sum of a mark and a number.
func plus(mark string, n int) string {
	if at, err := strconv.Atoi(mark); err == nil {
		return fmt.Sprint(at + n)
	}
	return fmt.Sprintf("%s+%d", mark, n)
}

// failIf writes what fails under a condition, whose opposite is holds. Last means that nothing comes
// after it in its group.
func (w *sequenceWriter) failIf(condition, holds string, last bool) {
	switch {
	case w.back == nil:
		w.check = check{fmt.Sprintf("if %s {\n%s\n}\n", condition, w.fail), holds, w.body.Len()}
		w.printf("%s", w.check.text)
	case w.back.loop:
		w.printf("if %s {\n%sbreak\n}\n", condition, w.back.undo)
	case last:
		w.printf("if %s {\n%s}\n", condition, w.back.undo)
	default:
		w.printf("if %s {\n%s} else {\n", condition, w.back.undo)
		w.back.nested++
	}
}

// next is the character at i, and more is the condition that there is one.
func (w *sequenceWriter) next() string { return w.v() + "[i]" }

func (w *sequenceWriter) more(c condition) string {
	more := fmt.Sprintf("i < len(%s)", w.v())
	if c.text == "true" {
		return more
	}
	return more + " && " + c.operand()
}

func (w *sequenceWriter) text(n *node, guarded bool) {
	if !guarded {
		if len(n.text) == 1 {
			c := quoted(rune(n.text[0]), 0xff)
			w.failIf(fmt.Sprintf("i == len(%s) || %s != %s", w.v(), w.next(), c), fmt.Sprintf("i < len(%s) && %s == %s", w.v(), w.next(), c), false)
		} else {
			has := w.hasPrefix(w.v()+"[i:]", n.text)
			w.failIf("!"+has, has, false)
		}
	}
	w.advance(len(n.text))
}

func (w *sequenceWriter) advance(n int) {
	if n == 1 {
		w.printf("i++\n")
	} else {
		w.printf("i += %d\n", n)
	}
	w.here = ""
}

func (w *sequenceWriter) chars(n *node, guarded, last bool) {
	is := w.is(n.set, w.next(), true)
	guarded = guarded && n.min == 1
	switch {
	case n.max == 0:
		return
	case n.min == 1 && n.max == 1:
		if !guarded {
			not := w.isNot(n.set, w.next(), true).text
			w.failIf(fmt.Sprintf("i == len(%s) || %s", w.v(), not), w.more(is), false)
		}
		w.advance(1)
		return
	case n.min == 0 && n.max == 1:
		w.printf("if %s {\ni++\n}\n", w.more(is))
		w.here = ""
		return
	case n.min == 0 && n.max == -1 || guarded && n.max == -1:
		w.printf("for %s {\ni++\n}\n", w.more(is))
		w.here = ""
		return
	}
	from, limit := w.mark(), ""
	if n.max > 0 {
		limit = fmt.Sprintf("i < %s && ", plus(from, n.max))
	}
	w.printf("for %s%s {\ni++\n}\n", limit, w.more(is))
	w.here = ""
	switch {
	case n.min == 1 && !guarded:
		w.failIf("i == "+from, "i > "+from, last)
	case n.min > 1:
		w.failIf("i < "+plus(from, n.min), "i >= "+plus(from, n.min), last)
	}
}

// guard is the condition that a sequence begins here.
func (w *sequenceWriter) guard(q sequence) string {
	n := q.begins()
	if n.op == opText && len(n.text) > 1 {
		return w.hasPrefix(w.v()+"[i:]", n.text)
	}
	return w.more(w.is(q.follow(follow{}).set, w.next(), true))
}

func (w *sequenceWriter) group(n *node, rest follow, guarded bool) error {
	body := n.of[0]
	after := rest
	if n.max != 1 {
		after.set = rest.set.or(n.first())
	}
	switch {
	case n.min == 1 && n.max == 1:
		if w.back != nil {
			return errNested
		}
		return w.write(body, rest, guarded && body.guarded())
	case n.min == n.max:
		if w.back != nil {
			return errNested
		}
		w.printf("for n := 0; n < %d; n++ {\n", n.max)
		w.here = ""
		if err := w.write(body, follow{set: after.set}, false); err != nil {
			return err
		}
		w.printf("}\n")
		w.here = ""
		return nil
	}
	back := rest.certain && body.fails()
	if back && w.back != nil || w.back != nil && body.fails() {
		return errNested
	}
	keyword := "for"
	if n.max == 1 {
		keyword = "if"
	}
	if !back {
		w.printf("%s %s {\n", keyword, w.guard(body))
		w.here = ""
		if err := w.write(body, after, true); err != nil {
			return err
		}
		w.printf("}\n")
		w.here = ""
		return nil
	}
	if n.max != 1 && w.wantsGroups() && slices.ContainsFunc(body, func(n node) bool { return n.op == opClose || len(n.of) > 0 }) {
		return errNested // the submatches of the time before would have to be kept
	}
	w.back = &backtrack{loop: n.max != 1}
	defer func() { w.back = nil }()
	mark := ""
	if n.max == 1 {
		mark = w.mark() // in front of the group
	}
	w.printf("%s %s {\n", keyword, w.guard(body))
	if n.max != 1 {
		w.here = ""
		mark = w.mark()
	}
	w.back.undo = fmt.Sprintf("i = %s\n", mark)
	if err := w.write(body, after, true); err != nil {
		return err
	}
	w.printf("%s}\n", strings.Repeat("}\n", w.back.nested))
	w.here = ""
	return nil
}

func (w *sequenceWriter) choice(n *node, rest follow) error {
	if w.back != nil {
		return errNested
	}
	w.printf("switch {\n")
	for _, q := range n.of {
		w.printf("case %s:\n", w.guard(q))
		w.here = ""
		if err := w.write(q, rest, true); err != nil {
			return err
		}
	}
	w.printf("default:\n%s\n}\n", w.fail)
	w.here = ""
	return nil
}

// close notes a submatch. A group that is given up later takes it back.
func (w *sequenceWriter) close(number int) {
	from := w.opened[number]
	if w.want == wantSubmatch {
		w.printf("group%d = %s\n", number, w.slice(from))
		w.undo("group%d = "+w.nothing()+"\n", number)
		return
	}
	w.printf("start%d, end%[1]d = %s, i\n", number, from)
	w.undo("start%d, end%[1]d = -1, -1\n", number)
}

func (w *sequenceWriter) undo(format string, number int) {
	if w.back != nil {
		w.back.undo += fmt.Sprintf(format, number)
	}
}

// groups declares the submatches.
func (w *sequenceWriter) groups(count int) {
	if !w.wantsGroups() || count == 0 {
		return
	}
	if w.want == wantSubmatch {
		var names []string
		for n := 1; n <= count; n++ {
			names = append(names, fmt.Sprint("group", n))
		}
		w.printf("var %s %s\n", strings.Join(names, ", "), w.textType())
		return
	}
	for n := 1; n <= count; n++ {
		if w.optional[n] {
			w.printf("start%d, end%[1]d := -1, -1\n", n)
		} else {
			w.printf("var start%d, end%[1]d int\n", n)
		}
	}
}

// slice is the text from a mark to i.
func (w *sequenceWriter) slice(from string) string {
	if from == "0" {
		from = ""
	}
	if w.bytesText {
		return fmt.Sprintf("b[%s:i:i]", from) // without room, as package regexp does
	}
	return fmt.Sprintf("s[%s:i]", from)
}

// results is the value of a match from start to i.
func (w *sequenceWriter) results(start string, count int) string {
	var values []string
	for n := 1; n <= count; n++ {
		if w.want == wantSubmatch {
			values = append(values, fmt.Sprint("group", n))
		} else {
			values = append(values, fmt.Sprintf("start%d, end%[1]d", n))
		}
	}
	switch w.want {
	case wantMatch:
		return "true"
	case wantText:
		return w.slice(start)
	case wantIndex:
		return fmt.Sprintf("[]int{%s, i}", start)
	case wantSubmatch:
		return w.result() + "{" + strings.Join(append([]string{w.slice(start)}, values...), ", ") + "}"
	}
	return "[]int{" + strings.Join(append([]string{start, "i"}, values...), ", ") + "}"
}

// finish returns the value of a match, if the steps haven't.
func (w *sequenceWriter) finish(q sequence, value string) {
	if _, ends := q.cutEnd(); w.want == wantMatch {
		if ends {
			w.printf("}\n")
			return
		}
		text := w.body.String()
		if i := strings.LastIndex(text, "}\n") + 2; strings.HasPrefix(text[i:], "i += ") || text[i:] == "i++\n" {
			text = text[:i] // where it ends doesn't matter
		}
		if text[w.check.at:] == w.check.text { // the last step decides
			text, value = text[:w.check.at], w.check.holds
		}
		w.body.Reset()
		w.printf("%s", text)
	}
	w.printf("return %s\n}\n", value)
}
