package lsp

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/profile"
)

// maxName bounds names of profiles in what is shown, in bytes.
const maxName = 200

// clean makes a name of a profile safe to show: on one line, without control characters, and not endless.
func clean(name string) string {
	if len(name) > maxName {
		cut := maxName
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	return compare.Printable(strings.ToValidUTF8(name, "\uFFFD"))
}

// percent is "31 %", "4.1 %" or "0.3 %".
func percent(share float64) string {
	if share < 0.0995 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// amount is "1.2s" or "340MB", as reports have it.
func amount(v int64, unit string) string {
	x, u := profile.Convert(v, unit, "auto")
	return strconv.FormatFloat(x, 'g', 3, 64) + u
}

// shortName is a function's name without the folders of its package.
func shortName(function string) string {
	head, _, generic := strings.Cut(function, "[")
	if generic {
		head = function[:len(head)]
		return head[strings.LastIndexByte(head, '/')+1:]
	}
	return path.Base(function)
}

// costText is "CPU 31 % (4.1 % self), allocated 12 % in Parse-8".
func (m *measured) costText(best []cost, others int) string {
	var parts []string
	for _, c := range best {
		part := string(c.dimension) + " " + percent(c.share())
		if c.dimension == cpuTime && c.selfShare() >= 0.0005 && c.self < c.all {
			part += " (" + percent(c.selfShare()) + " self)"
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, ", ")
	if of := m.subject(best); of != "" {
		text += " in " + of
	}
	if others > 0 {
		text += " and " + compare.Counted(others, "other "+m.Kind)
	}
	return text
}

// subject is what costs were measured in; "" if the measurement has one subject only.
func (m *measured) subject(best []cost) string {
	if m.Kind == "" || len(best) == 0 {
		return ""
	}
	return clean(m.Profiles[best[0].profile].Subject)
}

// label is "run 20261121-093000-00bb (91bc04aa)".
func (m *measured) label() string {
	if m.Version == "" {
		return clean(m.Name)
	}
	return clean(m.Name) + " (" + clean(m.Version) + ")"
}

const beforeEdits = "measured before your edits"

// A writer writes a text for people, as plain text, or as Markdown for clients that take nothing else.
type writer struct {
	strings.Builder
	markdown bool
}

// line writes a line.
func (w *writer) line(text string) {
	if w.Len() > 0 {
		w.WriteString("\n")
		if w.markdown {
			w.WriteString("\n")
		}
	}
	w.WriteString(w.escape(text))
}

// escape keeps Markdown from reading a text as anything else: profiles and sources are not trusted.
func (w *writer) escape(text string) string {
	if !w.markdown {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>#|~&$!@/", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
