package regexpcode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// write writes the automaton as a loop with a switch on its state. prefix begins every match of a
// pattern that isn't anchored; "" if unknown.
func (a *automaton) write(w *writer, prefix string) {
	v, unit := w.v(), "c"
	w.head()
	if prefix != "" {
		w.printf("start := %s // where a match may begin\nif start < 0 {\nreturn false\n}\n", w.index(v, prefix))
		v += "[start:]"
	}
	several := len(a.next) > 1
	if several {
		w.printf("state := 0 // what the text so far leads to, see each case\n")
	}
	switch {
	case a.bytes && w.bytesText:
		w.printf("for _, c := range %s {\n", v)
	case a.bytes:
		if prefix != "" {
			w.printf("for i := start; i < len(s); i++ {\nc := s[i]\n")
		} else {
			w.printf("for i := 0; i < len(s); i++ {\nc := s[i]\n")
		}
	case w.bytesText:
		unit = "r"
		w.uses("unicode/utf8")
		if prefix != "" {
			w.printf("for b = b[start:]; len(b) > 0; {\n")
		} else {
			w.printf("for len(b) > 0 {\n")
		}
		w.printf("r, size := utf8.DecodeRune(b)\nb = b[size:]\n")
	default:
		unit = "r"
		w.printf("for _, r := range %s {\n", v)
	}
	if several {
		w.printf("switch state {\n")
	}
	for q := range a.next {
		if several {
			w.printf("case %d:", q)
			if q == 0 {
				w.printf(" // nothing so far counts\n")
			} else {
				w.printf(" // such as after %q\n", a.after[q])
			}
		}
		a.writeState(w, q, unit)
	}
	if several {
		w.printf("}\n")
	}
	w.printf("}\n")
	a.writeEnd(w)
	w.printf("}\n")
}

// A move is a target with the characters that lead there.
type move struct {
	target int
	set    set
}

// writeState writes where the next character leads. The last case needs no condition. It is to reject; if
// the state never does, to stay; and otherwise the case with the longest condition.
func (a *automaton) writeState(w *writer, q int, unit string) {
	var moves []move
	for class, target := range a.next[q] {
		i := slices.IndexFunc(moves, func(m move) bool { return m.target == target })
		if i < 0 {
			i = len(moves)
			moves = append(moves, move{target: target})
		}
		moves[i].set = moves[i].set.or(a.classes[class])
	}
	rank := func(m move) int {
		switch {
		case m.target == rejects:
			return 1 << 20
		case m.target == q:
			return 1 << 19
		}
		size := 2 * m.set.width()
		if !m.set.ascii() {
			size++
		}
		return size
	}
	last := slices.MaxFunc(moves, func(a, b move) int { return rank(a) - rank(b) })
	moves = slices.DeleteFunc(moves, func(m move) bool { return m.target == last.target })
	slices.SortStableFunc(moves, func(a, b move) int { return cmp.Or(a.set.width()-b.set.width(), order(a.target)-order(b.target)) })
	does := func(target int) string {
		switch target {
		case accepts:
			return "return true\n"
		case rejects:
			return "return false\n"
		case q:
			return ""
		}
		return fmt.Sprintf("state = %d\n", target)
	}
	switch len(moves) {
	case 0:
		w.printf("%s", does(last.target))
	case 1:
		m := moves[0]
		switch {
		case last.target == rejects || last.target == accepts:
			w.printf("if %s {\n%s}\n%s", w.isNot(m.set, unit, a.bytes).text, does(last.target), does(m.target))
		case last.target == q:
			w.printf("if %s {\n%s}\n", w.is(m.set, unit, a.bytes).text, does(m.target))
		case m.target == q:
			w.printf("if %s {\n%s}\n", w.isNot(m.set, unit, a.bytes).text, does(last.target))
		default:
			w.printf("if %s {\n%s} else {\n%s}\n", w.is(m.set, unit, a.bytes).text, does(m.target), does(last.target))
		}
	default:
		w.printf("switch {\n")
		var before set
		for _, m := range moves {
			// What cases before have may be in the condition, too, if that makes it simpler.
			s := m.set
			if more := s.or(before); more.width() < s.width() || more.width() == s.width() && w.known(more, a.bytes) {
				s = more
			}
			w.printf("case %s:\n%s", w.is(s, unit, a.bytes).text, does(m.target))
			before = before.or(m.set)
		}
		if text := does(last.target); text != "" {
			w.printf("default:\n%s", text)
		}
		w.printf("}\n")
	}
}

// order puts states first, then what accepts, then what rejects.
func order(target int) int {
	if target < 0 {
		return 1<<20 - target
	}
	return target
}

// writeEnd writes what the end of the text means.
func (a *automaton) writeEnd(w *writer) {
	var yes, no []string
	for q, end := range a.end {
		if end {
			yes = append(yes, fmt.Sprint(q))
		} else {
			no = append(no, fmt.Sprint(q))
		}
	}
	switch {
	case len(yes) == 0:
		w.printf("return false\n")
	case len(no) == 0:
		w.printf("return true\n")
	case len(yes) <= 3:
		w.printf("return state == %s\n", strings.Join(yes, " || state == "))
	case len(no) <= 3:
		w.printf("return state != %s\n", strings.Join(no, " && state != "))
	default:
		w.printf("switch state {\ncase %s:\nreturn true\n}\nreturn false\n", strings.Join(yes, ", "))
	}
}
