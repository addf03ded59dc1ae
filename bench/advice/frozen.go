package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What a case counts for depends on the rules that are taken to say what its author did.
// Named after hone was asked, they say what hone can say: so the rules of a list are
// written before, and frozen.
//
// reasons.txt beside a list has a line for a pattern: its name, and the rules that say it.
// A later line of the same pattern adds rules. hot-line, which reports any line, is right only
// where it says what costs there: "hot-line:growing_a_slice" wants these words in a finding. LIST.frozen has a line for each part of the
// list that was frozen at once, in its order:
//
//	CASES REASONS HASH
//
// that is how many cases, how many lines of reasons.txt there were, and the SHA-256 of both.
// "CASES 0 -" are cases whose rules were not frozen before hone was asked.

// reasons are the rules that say what an author did, by pattern. A pattern without any is
// not in the rules.
type reasons map[string][]string

func parseReasons(lines []string) reasons {
	by := make(reasons)
	for _, line := range lines {
		pattern, rules, _ := strings.Cut(line, " ")
		by[pattern] = append(by[pattern], strings.Fields(rules)...)
	}
	return by
}

// A frozenPart is a line of a LIST.frozen.
type frozenPart struct {
	cases, reasons int
	hash           string // "-": not frozen
}

const notFrozen = "-"

// freezing is the hash of what may not change: the rules, and what of cases they are
// applied to.
func freezing(lines []string, cases []testCase) string {
	h := sha256.New()
	for _, line := range lines {
		fmt.Fprintln(h, line)
	}
	for _, c := range cases {
		fmt.Fprintf(h, "%q %q %q %q %q %v\n", c.ID, c.Pattern, c.Also, c.File, c.Function, c.ParentLines)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// apply gives cases their rules: all that are known now, and those that were frozen before
// hone was asked. It returns how many cases there are that no part has.
func apply(cases []testCase, lines []string, parts []frozenPart) (left int, err error) {
	now := parseReasons(lines)
	for i := range cases {
		c := &cases[i]
		c.rules, c.looksLike = now.of(c.patterns()), now[c.LooksLike]
	}
	rest := cases
	for n, part := range parts {
		if part.cases > len(rest) || part.reasons > len(lines) {
			return 0, fmt.Errorf("part %d has %d cases and %d reasons, more than there are", n+1, part.cases, part.reasons)
		}
		frozen := rest[:part.cases]
		rest = rest[part.cases:]
		if part.hash == notFrozen {
			continue
		}
		if freezing(lines[:part.reasons], frozen) != part.hash {
			return 0, fmt.Errorf("part %d, from %s on, or the first %d lines of reasons.txt are not what was frozen: take the change back, and add a line at the end instead, or \"later\" to a case", n+1, frozen[0].ID, part.reasons)
		}
		then := parseReasons(lines[:part.reasons])
		for i := range frozen {
			c := &frozen[i]
			c.frozen, c.rulesThen = true, then.of(slices.Concat([]string{c.Pattern}, c.Also))
		}
	}
	return len(rest), nil
}

// of are the rules of several patterns.
func (by reasons) of(patterns []string) (rules []string) {
	for _, pattern := range patterns {
		rules = append(rules, by[pattern]...)
	}
	return rules
}

// readFrozen reads what belongs to a list. A list without a LIST.frozen has no parts.
func readFrozen(list string) (lines []string, parts []frozenPart, err error) {
	if lines, err = readLines(filepath.Join(filepath.Dir(list), "reasons.txt")); err != nil {
		return nil, nil, err
	}
	name := frozenName(list)
	text, err := readLines(name)
	if errors.Is(err, fs.ErrNotExist) {
		return lines, nil, nil
	}
	for n, line := range text {
		var p frozenPart
		if _, err := fmt.Sscanf(line, "%d %d %s", &p.cases, &p.reasons, &p.hash); err != nil || p.cases < 1 || p.reasons < 0 {
			return nil, nil, fmt.Errorf("%s:%d: want the numbers of cases and reasons, and a hash", name, n+1)
		}
		parts = append(parts, p)
	}
	return lines, parts, err
}

func frozenName(list string) string {
	return strings.TrimSuffix(list, filepath.Ext(list)) + ".frozen"
}

func readLines(name string) (lines []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	return lines, in.Err()
}

// freeze adds a part for the cases of a list that have none.
func freeze(list string) error {
	cases, left, err := readList(list)
	if err != nil {
		return err
	}
	if left == 0 {
		return fmt.Errorf("%s: all %d cases are frozen already", list, len(cases))
	}
	lines, _, err := readFrozen(list)
	if err != nil {
		return err
	}
	added := cases[len(cases)-left:]
	for _, c := range added {
		for _, pattern := range c.patterns() {
			if _, known := parseReasons(lines)[pattern]; !known && c.Expected == "" {
				return fmt.Errorf("%s: reasons.txt has no pattern %q: add a line, with the rules that say it or none", c.ID, pattern)
			}
		}
	}
	f, err := os.OpenFile(frozenName(list), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d %d %s\n", left, len(lines), freezing(lines, added))
	return errors.Join(err, f.Close())
}

// readList reads a list with the rules of its cases. Left are the last ones, which are not
// frozen yet.
func readList(file string) (cases []testCase, left int, err error) {
	if cases, err = readCases(file); err != nil {
		return nil, 0, err
	}
	lines, parts, err := readFrozen(file)
	if err == nil {
		left, err = apply(cases, lines, parts)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	if !slices.ContainsFunc(cases[len(cases)-left:], func(c testCase) bool { return c.Expected == "" }) {
		left = 0 // places to be silent at: no rule is right there
	}
	return cases, left, nil
}
