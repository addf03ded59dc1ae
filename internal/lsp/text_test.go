package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// TestPositions: offsets and positions are inverse to each other, in both encodings.
func TestPositions(t *testing.T) {
	text := newText("a\nä𝄞b\r\n\rlast é")
	for _, c := range []struct {
		offset int
		utf8   position
		utf16  position
	}{
		{0, position{0, 0}, position{0, 0}},
		{1, position{0, 1}, position{0, 1}},
		{2, position{1, 0}, position{1, 0}},
		{4, position{1, 2}, position{1, 1}},
		{8, position{1, 6}, position{1, 3}},
		{9, position{1, 7}, position{1, 4}},
		{11, position{2, 0}, position{2, 0}},
		{12, position{3, 0}, position{3, 0}},
		{17, position{3, 5}, position{3, 5}},
		{19, position{3, 7}, position{3, 6}},
	} {
		for e, want := range map[encoding]position{utf8Units: c.utf8, utf16Units: c.utf16} {
			if got := text.position(c.offset, e); got != want {
				t.Errorf("%s: offset %d is at %v, want %v", e, c.offset, got, want)
			}
			if got := text.offset(want, e); got != c.offset {
				t.Errorf("%s: %v is offset %d, want %d", e, want, got, c.offset)
			}
		}
	}
	for p, want := range map[position]int{{0, 99}: 1, {1, 99}: 9, {99, 0}: len(text.all), {3, 1 << 31}: len(text.all), {1, 2}: 4} {
		if got := text.offset(p, utf16Units); got != want { // beyond a line, beyond the text, and in a surrogate pair
			t.Errorf("%v is offset %d, want %d", p, got, want)
		}
	}
	if got := text.offset(position{1, 4}, utf8Units); got != 4 { // in a character
		t.Errorf("offset %d", got)
	}
}

// TestChanges compares random changes with those of a text in UTF-16, as editors have it.
func TestChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "\n", "\r\n", "ä", "𝄞", "func f() {}", ""}
	piece := func() string { return pieces[rng.IntN(len(pieces))] + pieces[rng.IntN(len(pieces))] }
	for range 300 {
		now := newText("one\ntwo\n")
		model := utf16.Encode([]rune(now.all))
		for range 10 {
			from := rng.IntN(len(now.all) + 1)
			to := from + rng.IntN(len(now.all)+1-from)
			for !utf8.RuneStart(at(now.all, from)) || inBreak(now.all, from) {
				from--
			}
			for to < len(now.all) && (!utf8.RuneStart(now.all[to]) || inBreak(now.all, to)) {
				to++
			}
			r := now.textRange(from, to, utf16Units)
			with := piece()
			units := func(s string) int { return len(utf16.Encode([]rune(s))) }
			model = append(append(append([]uint16{}, model[:units(now.all[:from])]...), utf16.Encode([]rune(with))...), model[units(now.all[:to]):]...)
			var err error
			if now, err = now.changed([]contentChange{{&r, with}}, utf16Units); err != nil {
				t.Fatal(err)
			}
			if want := string(utf16.Decode(model)); now.all != want {
				t.Fatalf("%q, want %q", now.all, want)
			}
		}
	}
}

func at(s string, i int) byte {
	if i == len(s) {
		return 0
	}
	return s[i]
}

// inBreak reports whether an offset is in the middle of \r\n, where no position is.
func inBreak(s string, i int) bool { return i > 0 && i < len(s) && s[i-1] == '\r' && s[i] == '\n' }

func TestWrongChanges(t *testing.T) {
	text := newText("one\n")
	backward := textRange{position{0, 2}, position{0, 1}}
	if _, err := text.changed([]contentChange{{&backward, ""}}, utf8Units); err == nil {
		t.Error("a range that ends before it starts was taken")
	}
	if _, err := text.changed([]contentChange{{Text: strings.Repeat("x", maxText+1)}}, utf8Units); err == nil {
		t.Error("an endless text was taken")
	}
	if got, err := text.changed([]contentChange{{Text: "two"}, {&textRange{}, "x"}}, utf8Units); err != nil || got.all != "xtwo" {
		t.Errorf("%v, %v", got, err)
	}
}
