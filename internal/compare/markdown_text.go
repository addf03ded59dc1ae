package compare

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/report"
)

// code prints a name as code. Benchmarks and labels may be called anything. In a
// code span only backticks mean something, and in a table |, which a table takes
// for the end of a cell even there; what has either goes as HTML, every sign
// of Markdown as a character reference.
func code(name string) string {
	name = report.Visible(strings.ToValidUTF8(Printable(name), "\uFFFD"))
	if name == "" {
		return ""
	}
	if strings.ContainsAny(name, "`|") || strings.TrimSpace(name) != name {
		return "<code>" + prose(name) + "</code>"
	}
	return "`" + name + "`"
}

// prose prints text so that Markdown finds nothing in it to obey: no HTML, link,
// mention or cell. Forges look for mentions, addresses and references to issues in the
// text that is shown, where references to characters don't keep them apart: a space
// without width does. GitLab has more signs for references: !1 is a merge request.
func prose(text string) string {
	var b strings.Builder
	runes := []rune(report.Visible(strings.ToValidUTF8(Printable(text), "\uFFFD")))
	for i, r := range runes {
		refers := i+1 < len(runes) && (unicode.IsLetter(runes[i+1]) || unicode.IsDigit(runes[i+1]) || runes[i+1] == '"')
		switch {
		case r == '@' || r == '#', strings.ContainsRune("!$&~", r) && refers:
			fmt.Fprintf(&b, "&#%d;&#8203;", r)
		case r == '%' && refers:
			b.WriteString("%&#8203;")
		case strings.ContainsRune("\\`*_{}[]<>|&!~$", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	// Addresses become links without a sign around them.
	return autolinks.Get().ReplaceAllStringFunc(b.String(), func(s string) string {
		switch s[len(s)-1] {
		case '/':
			return "&#58;//"
		case '.':
			return s[:len(s)-1] + "&#46;"
		}
		return s + "&#8203;"
	})
}

var autolinks = lazyregexp.New(`(?i)://|www\.|\bgh-`)

// Names and sentences longer than this are cut, in characters. A table with more can't be read, and a
// comment has no room for them.
const (
	longestName  = 100
	longestText  = 500
	longestLabel = 60
)

// clip shortens a text to so many characters: its middle is left out, as the ends of benchmarks' names differ.
func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	end := most / 3
	return string(runes[:most-end-1]) + "…" + string(runes[len(runes)-end:])
}
