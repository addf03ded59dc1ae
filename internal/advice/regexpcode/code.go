package regexpcode

import (
	"fmt"
	"slices"
	"strings"
)

// A writer collects the text of generated functions.
type writer struct {
	Options
	method
	body    strings.Builder
	helpers []helper
	imports []string
}

// A helper is a function that reports whether a byte or character is in a set. A condition of many
// ranges gets one, so that it is written once.
type helper struct {
	name  string
	set   set
	bytes bool
}

// maxInline is how many ranges a condition compares with where it is used.
const maxInline = 2

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.body, format, args...) }

// uses notes an import.
func (w *writer) uses(path string) {
	if !slices.Contains(w.imports, path) {
		w.imports = append(w.imports, path)
	}
}

// is returns the condition that a byte or character is in a set.
func (w *writer) is(s set, v string, bytes bool) condition {
	if s.width() <= maxInline {
		return s.is(v, bytes)
	}
	if w.known(s.not(), bytes) || len(s) > len(s.not()) {
		return condition{text: "!" + w.helper(s.not(), bytes) + "(" + v + ")"}
	}
	return condition{text: w.helper(s, bytes) + "(" + v + ")"}
}

// isNot is the opposite of is.
func (w *writer) isNot(s set, v string, bytes bool) condition { return w.is(s.not(), v, bytes) }

// known reports whether there is a helper for a set.
func (w *writer) known(s set, bytes bool) bool {
	return slices.ContainsFunc(w.helpers, func(h helper) bool { return slices.Equal(h.set, s) && h.bytes == bytes })
}

func (w *writer) helper(s set, bytes bool) string {
	for _, h := range w.helpers {
		if slices.Equal(h.set, s) && h.bytes == bytes {
			return h.name
		}
	}
	want := w.Name + "Byte"
	if !bytes {
		want = w.Name + "Rune"
	}
	if n := len(w.helpers); n > 0 {
		want += fmt.Sprint(n + 1)
	}
	h := helper{w.unused(want), s, bytes}
	w.helpers = append(w.helpers, h)
	return h.name
}

// helperTexts writes the helpers that the code uses.
func (w *writer) helperTexts() string {
	var b strings.Builder
	for _, h := range w.helpers {
		if !strings.Contains(w.body.String(), h.name+"(") {
			continue
		}
		v, kind := "c", "byte"
		if !h.bytes {
			v, kind = "r", "rune"
		}
		fmt.Fprintf(&b, "\n// %s reports whether %s is in %s.\nfunc %s(%s %s) bool {\nreturn %s\n}\n", h.name, v, h.set, h.name, v, kind, h.set.is(v, h.bytes).text)
	}
	return b.String()
}

// hasPrefix is the condition that the text from i on begins with a text.
func (w *writer) hasPrefix(from, text string) string {
	if w.bytesText {
		w.uses("bytes")
		return fmt.Sprintf("bytes.HasPrefix(%s, []byte(%q))", from, text)
	}
	w.uses("strings")
	return fmt.Sprintf("strings.HasPrefix(%s, %q)", from, text)
}

// index is a call that finds a text.
func (w *writer) index(in, text string) string {
	pkg := "strings"
	if w.bytesText {
		pkg = "bytes"
	}
	w.uses(pkg)
	switch {
	case len(text) == 1:
		return fmt.Sprintf("%s.IndexByte(%s, %s)", pkg, in, quoted(rune(text[0]), 0xff))
	case w.bytesText:
		return fmt.Sprintf("bytes.Index(%s, []byte(%q))", in, text)
	}
	return fmt.Sprintf("strings.Index(%s, %q)", in, text)
}

// v is the name of the text that is searched.
func (w *writer) v() string {
	if w.bytesText {
		return "b"
	}
	return "s"
}

// head writes the comment of the function and its first line.
func (w *writer) head() {
	v := w.v()
	does := map[want]string{
		wantMatch:         "reports whether %[1]s matches %[2]s",
		wantText:          "returns the first match of %[2]s in %[1]s, or " + w.none(),
		wantIndex:         "returns where the first match of %[2]s in %[1]s begins and ends, or nil",
		wantSubmatch:      "returns the first match of %[2]s in %[1]s and its submatches, or nil",
		wantSubmatchIndex: "returns where the first match of %[2]s in %[1]s and its submatches begin and end, or nil",
		wantAll:           "returns all matches of %[2]s in %[1]s, or nil",
		wantAllIndex:      "returns where each match of %[2]s in %[1]s begins and ends, or nil",
		wantReplace:       "returns %[1]s with all matches of %[2]s replaced",
	}[w.want]
	w.printf("// %s %s.\n", w.Name, fmt.Sprintf(does, v, w.Pattern))
	if w.Test != "" {
		w.printf("// It does without package regexp; %s compares both.\n", w.Test)
	}
	if w.want == wantReplace {
		v += ", with"
	}
	w.printf("func %s(%s %s) %s {\n", w.Name, v, w.textType(), w.result())
}

func (w *writer) unused(want string) string {
	if w.Unused == nil {
		return want
	}
	return w.Unused(want)
}
