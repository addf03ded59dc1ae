package mcp

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/report"
)

const (
	// maxTokens bounds an answer, as tokens counts.
	maxTokens = 2000
	// endTokens is what the last lines may take: what was left out, and the next call.
	endTokens = 150
	// maxLine bounds a line of data, in characters. Names of generic functions can have thousands.
	maxLine = 300
)

// An answer is text for a model: sentences of hone's, and data in fences.
type answer struct {
	text   strings.Builder
	tokens int
	next   []string
	failed bool // what ran for it
}

// say adds a line of hone's own.
func (a *answer) say(format string, args ...any) {
	a.add(quoted(fmt.Sprintf(format, args...)) + "\n")
}

func (a *answer) add(s string) {
	a.text.WriteString(s)
	a.tokens += tokens(s)
}

// data adds lines of data that fit within a number of tokens, and within the answer.
func (a *answer) data(text string, most int) {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	left := min(most, maxTokens-endTokens-a.tokens)
	a.add("```\n")
	for i, line := range lines {
		line = strings.TrimRight(quoted(line), " ") + "\n"
		if left -= tokens(line); left < 0 {
			a.add("```\n")
			a.say("(%s left out)", compare.Counted(len(lines)-i, "line"))
			return
		}
		a.add(line)
	}
	a.add("```\n")
}

// then names a call that comes next, if this one succeeded.
func (a *answer) then(format string, args ...any) {
	if a.failed {
		return
	}
	a.next = append(a.next, quoted(fmt.Sprintf(format, args...)))
}

func (a *answer) String() string {
	for i, n := range a.next {
		if i == 0 {
			n = "Next: " + n
		}
		if a.tokens+tokens(n) > maxTokens {
			break
		}
		a.add(n + "\n")
	}
	return a.text.String()
}

// quoted is a line that can't end a fence, turn its direction or move a cursor.
func quoted(line string) string {
	line = strings.ReplaceAll(report.Visible(compare.Printable(strings.ReplaceAll(line, "\t", "    "))), "```", "'''")
	if runes := []rune(line); len(runes) > maxLine {
		line = string(runes[:maxLine]) + "…"
	}
	return line
}

// tokens estimates how many tokens a text takes, rather too many: models differ. Four letters, three digits or one other sign
// are one; a blank before a word costs nothing.
func tokens(s string) int {
	n, letters, digits, blanks := 0, 0, 0, 0
	flush := func() {
		n += (letters+3)/4 + (digits+2)/3
		if blanks > 1 {
			n++
		}
		letters, digits, blanks = 0, 0, 0
	}
	for _, r := range s {
		switch {
		case r < unicode.MaxASCII && unicode.IsLetter(r):
			if digits+blanks > 0 {
				flush()
			}
			letters++
		case '0' <= r && r <= '9':
			if letters+blanks > 0 {
				flush()
			}
			digits++
		case r == ' ':
			if letters+digits > 0 {
				flush()
			}
			blanks++
		default:
			flush()
			n++
			if r > unicode.MaxASCII {
				n++
			}
		}
	}
	flush()
	return n
}
