package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A testCase is a line of a file of cases: a commit, or a place to be silent at.
type testCase struct {
	ID, Repo, Commit, Parent string
	File, Function           string
	ParentLines              []int    `json:"parent_lines"`
	Line                     int      // of a place to be silent at
	Pattern                  string   // what the author did
	Also                     []string // and besides in the same function
	Later                    []string // patterns that were seen when hone had been asked
	LooksLike                string   `json:"looks_like"`
	Expected                 string   // "silent" or "rank_very_low"
	Bench                    string
	BenchPkg                 string `json:"bench_pkg"`
	BenchFromCommit          bool   `json:"bench_from_commit"`
	Class                    string `json:"rewrite_class"`

	rules, rulesThen []string // that say what the author did: as known now, and as frozen; see frozen.go
	frozen           bool     // rulesThen were written before hone was asked
	looksLike        []string // rules that say LooksLike
}

// A finding is the part of hone's that is judged.
type finding struct {
	ID, Rule, Class, Function, File string
	Title, Why                      string
	Facts                           []string // what hot lines say, of a line with another finding
	Line                            int
	Evidence                        struct{ Callers []caller }
}

// rewritten reports whether hone has a rewrite.
func (f *finding) rewritten() bool { return f.Class == "A" || f.Class == "B" }

// saysOneOf reports whether the finding says one of the reasons that an author may have had: a
// rule, or words of a rule that has many things to say, such as hot-line:growing_a_slice.
func (f *finding) saysOneOf(reasons []string) bool {
	return slices.ContainsFunc(reasons, func(reason string) bool {
		rule, words, _ := strings.Cut(reason, ":")
		words = strings.ReplaceAll(words, "_", " ")
		return rule == f.Rule && strings.Contains(f.Title+" "+f.Why, words) ||
			rule == "hot-line" && words != "" && strings.Contains(strings.Join(f.Facts, " "), words)
	})
}

// A caller is a line that the function of a finding was called from.
type caller struct {
	Function, File string
	Line           int
	Callers        []caller // of it, where it passes the call on
}

func readCases(file string) ([]testCase, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cases []testCase
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		var c testCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		cases = append(cases, c)
	}
	return cases, in.Err()
}

func (c *testCase) same(file, dir string) bool {
	return filepath.ToSlash(relative(dir, file)) == c.File
}

// patterns are all that the author did.
func (c *testCase) patterns() []string { return slices.Concat([]string{c.Pattern}, c.Also, c.Later) }

// at reports whether a finding is on the changed lines, or in their function, or called
// from there.
func (c *testCase) at(f finding, dir string) bool {
	return c.changed(f.Function, f.File, f.Line, dir) || c.calledFrom(f.Evidence.Callers, dir)
}

func (c *testCase) calledFrom(callers []caller, dir string) bool {
	return slices.ContainsFunc(callers, func(by caller) bool {
		return c.changed(by.Function, by.File, by.Line, dir) || c.calledFrom(by.Callers, dir)
	})
}

func (c *testCase) changed(function, file string, line int, dir string) bool {
	if !c.same(file, dir) {
		return false
	}
	if len(c.ParentLines) == 2 && c.ParentLines[0]-1 <= line && line <= c.ParentLines[1]+1 {
		return true
	}
	name, _, _ := strings.Cut(c.Function, " ")
	return function != "" && function == name
}

func relative(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil {
		return rel
	}
	return file
}
