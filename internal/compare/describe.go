package compare

import (
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/report"
)

// RevisionsText returns the two revisions that were compared, such as "main 3f2a9c1d+dirty vs main
// 81c0ee52f", or "-" if they are unknown. It is safe to print on a terminal.
func RevisionsText(head, base *experiment.Revision) string {
	if head == nil {
		return "-"
	}
	text := RevisionText(*head)
	if base != nil {
		text += " vs " + RevisionText(*base)
	}
	return text
}

// RevisionText returns one revision in the form of RevisionsText.
func RevisionText(r experiment.Revision) string {
	var parts []string
	if r.Name != "" && !strings.HasPrefix(r.Commit, r.Name) {
		parts = append(parts, Printable(r.Name))
	}
	if commit := Printable(r.Commit); commit != "" {
		parts = append(parts, commit[:min(len(commit), 9)])
	}
	text := strings.Join(parts, " ")
	if text == "" {
		return "-"
	}
	if r.Dirty {
		text += "+dirty"
	}
	return text
}

// Counted returns a number with what it counts: 1 sample, 2 samples.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// OneLine returns the text of an error, which may quote a server or a file, on one line.
func OneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

// CommandLine quotes arguments, such as the command of a run, for a shell. The result may contain
// control sequences for terminals.
func CommandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'`$&|;<>()*?[]{}~#!\\") {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// Printable replaces what a terminal or a CI service would interpret, and line breaks.
func Printable(s string) string {
	return report.NoCommands(strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, s))
}
