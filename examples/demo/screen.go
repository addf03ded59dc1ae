package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// columns is the maximum width of the output.
const columns = 100

// A screen prints headings, commands, and lines of limited width.
type screen struct {
	out    io.Writer
	warned map[string]bool // warnings, without their numbers
}

func newScreen(out io.Writer) *screen { return &screen{out, make(map[string]bool)} }

func (s *screen) line(text string) {
	text = strings.TrimRight(strings.ReplaceAll(text, "\t", "    "), " ")
	if utf8.RuneCountInString(text) > columns {
		text = string([]rune(text)[:columns-1]) + "…"
	}
	fmt.Fprintln(s.out, text)
}

func (s *screen) lines(texts []string) {
	for _, text := range texts {
		s.line(text)
	}
}

func (s *screen) heading(title string) { s.line("\n== " + title) }

func (s *screen) command(args ...string) {
	text := "$ hone"
	for _, a := range args {
		if strings.ContainsAny(a, ` $\*[`) {
			a = "'" + a + "'"
		}
		text += " " + a
	}
	s.line(text)
}

var figures = regexp.MustCompile(`[0-9.]+`)

// warn shows a warning, unless one with the same text but other numbers was shown before.
func (s *screen) warn(text string) {
	kind := figures.ReplaceAllString(text, "0")
	if !s.warned[kind] {
		s.warned[kind] = true
		s.line(text)
	}
}
