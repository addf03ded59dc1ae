package regexpcode

import (
	"errors"
	"fmt"
)

// writeSequence writes the functions that match a sequence: one if the pattern is anchored, and otherwise
// a search with one that tries a place where it may begin.
func writeSequence(w *writer, p *parser, q sequence, count int) error {
	if err := q.decide(follow{certain: true}); err != nil {
		return err
	}
	s := &sequenceWriter{writer: w, opened: make(map[int]string), optional: p.optional}
	if w.want == wantMatch {
		if q = q.needed(); len(q) == 0 {
			return errors.New("it matches every text or none")
		}
	}
	if p.anchored && w.want.every() {
		return errors.New("it has at most one match")
	}
	s.fail = "return " + w.none()
	if !p.anchored {
		how, err := q.searchable(w.want)
		if err != nil {
			return err
		}
		search := &searchWriter{s, how, q, w.unused(w.Name + "At")}
		w.head()
		search.begin()
		search.found()
		search.end()
		return search.tryAt(count)
	}
	w.head()
	s.groups(count)
	s.here = "0"
	if len(q) > 0 && q[0].op == opText {
		has := s.hasPrefix(w.v(), q[0].text)
		s.failIf("!"+has, has, false)
		s.here = fmt.Sprint(len(q[0].text))
		q = q[1:]
	}
	if len(q) > 0 || w.want != wantMatch {
		w.printf("i := %s\n", s.here)
	}
	if err := s.write(q, follow{certain: true}, false); err != nil {
		return err
	}
	s.finish(q, s.results("0", count))
	return nil
}

// A searchWriter writes the search for a sequence: a loop over the places where a match may begin, and a
// function that tries one place.
type searchWriter struct {
	*sequenceWriter
	search
	q   sequence
	try string // the function that tries a place
}

// begin writes the loop up to a place where a match may begin.
func (w *searchWriter) begin() {
	v := w.v()
	switch w.want {
	case wantAll, wantAllIndex:
		w.printf("var all %s\n", w.result())
	case wantReplace:
		w.uses("strings")
		w.printf("var b strings.Builder\ndone := 0 // s[:done] is in b\n")
	}
	if w.last != "" {
		pkg := "strings"
		if w.bytesText {
			pkg = "bytes"
		}
		w.uses(pkg)
		w.printf("last := %s.LastIndexByte(%s, %s) // every match has one\nfor start := 0; start <= last; start++ {\n", pkg, v, quoted(rune(w.last[0]), 0xff))
	} else {
		w.printf("for start := 0; start < len(%s); start++ {\n", v)
	}
	if head := w.q.begins(); head.op == opText {
		w.printf("n := %s\nif n < 0 {\nbreak\n}\nstart += n\n", w.index(v+"[start:]", head.text))
	} else {
		w.printf("if %s {\ncontinue\n}\n", w.isNot(w.q.follow(follow{}).set, v+"[start]", true).text)
	}
}

// found writes what happens where a match begins.
func (w *searchWriter) found() {
	v := w.v()
	switch w.want {
	case wantMatch:
		w.printf("if %s(%s, start) {\nreturn true\n}\n", w.try, v)
	case wantText:
		room := ""
		if w.bytesText {
			room = ":end"
		}
		w.printf("if end := %s(%s, start); end >= 0 {\nreturn %s[start:end%s]\n}\n", w.try, v, v, room)
	case wantIndex:
		w.printf("if end := %s(%s, start); end >= 0 {\nreturn []int{start, end}\n}\n", w.try, v)
	case wantAll, wantAllIndex, wantReplace:
		does := map[want]string{
			wantAll:      "all = append(all, s[start:end])\nstart = end - 1\n",
			wantAllIndex: "all = append(all, []int{start, end})\nstart = end - 1\n",
			wantReplace:  "b.WriteString(s[done:start])\nb.WriteString(with)\ndone, start = end, end-1\n",
		}[w.want]
		if len(w.skip) > 0 {
			does += "continue\n"
		}
		w.printf("if end := %s(%s, start); end >= 0 {\n%s}\n", w.try, v, does)
	default:
		w.printf("if m := %s(%s, start); m != nil {\nreturn m\n}\n", w.try, v)
	}
}

// end writes the rest of the loop, and what the function returns after it.
func (w *searchWriter) end() {
	v, result := w.v(), w.none()
	if len(w.skip) > 0 {
		also := ""
		if w.q.begins().min == 0 {
			also = w.is(w.skip, v+"[start]", true).operand() + " && "
		}
		w.printf("for %sstart+1 < len(%s) && %s {\nstart++ // a match that begins later in the run fails the same way\n}\n", also, v, w.is(w.skip, v+"[start+1]", true).operand())
	}
	switch w.want {
	case wantAll, wantAllIndex:
		result = "all"
	case wantReplace:
		w.printf("}\nif done == 0 {\nreturn s\n")
		result = "b.String()"
	}
	w.printf("}\n")
	if w.want == wantReplace {
		w.printf("b.WriteString(s[done:])\n")
	}
	w.printf("return %s\n}\n\n", result)
}

// tryAt writes the function that tries one place.
func (w *searchWriter) tryAt(count int) error {
	q, try, v, value := w.q, w.try, w.v(), w.results("start", count)
	w.fail = "return " + w.none()
	head := q.begins()
	guarded := head.op == opText || head.op == opChars && head.min == 1 // the search has found the first step
	switch w.want {
	case wantMatch:
		w.printf("// %s reports whether a match of %s begins at i.\nfunc %s(%s %s, i int) bool {\n", try, w.Pattern, try, v, w.textType())
	case wantText, wantIndex, wantAll, wantAllIndex, wantReplace:
		value, w.fail = "i", "return -1"
		w.printf("// %s returns where the match of %s that begins at i ends, or -1.\nfunc %s(%s %s, i int) int {\n", try, w.Pattern, try, v, w.textType())
	default:
		w.printf("// %s returns the match of %s that begins at start, and its submatches, or nil.\nfunc %s(%s %s, start int) %s {\n", try, w.Pattern, try, v, w.textType(), w.result())
		w.groups(count)
		if q[0].op == opText {
			w.printf("i := start + %d\n", len(q[0].text))
			q, guarded = q[1:], false
		} else {
			w.printf("i := start\n")
			w.here = "start"
		}
	}
	if err := w.write(q, follow{certain: true}, guarded); err != nil {
		return err
	}
	w.finish(q, value)
	return nil
}
