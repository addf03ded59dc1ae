package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// An outcome says what became of a finding about a case: facts only. hone orders findings by how often
// those of their rule were right: internal/advice/rules/outcomes.txt has the sums.
type outcome struct {
	Case string `json:"case"`
	Rank int    `json:"rank"` // 1 is the first
	Rule string `json:"rule"`
	// Outcome is "right" if the author changed that place for that reason, "place" if for another reason,
	// and "other" if the author left it alone.
	Outcome string `json:"outcome"`
}

// outcomesOf are those of a case's findings that promise something.
func (c *testCase) outcomesOf(found []finding, dir string) []outcome {
	var all []outcome
	for i, f := range found {
		if f.Class == "look" {
			continue
		}
		o := outcome{c.ID, i + 1, f.Rule, "other"}
		switch {
		case c.at(f, dir) && slices.Contains(c.rules, f.Rule):
			o.Outcome = right
		case c.at(f, dir):
			o.Outcome = place
		}
		all = append(all, o)
	}
	return all
}

// keepOutcomes puts outcomes into a file, in place of those of the same cases.
func keepOutcomes(name string, judged []outcome) error {
	kept, err := readOutcomes(name)
	if err != nil {
		return err
	}
	again := make(map[string]bool)
	for _, o := range judged {
		again[o.Case] = true
	}
	kept = append(slices.DeleteFunc(kept, func(o outcome) bool { return again[o.Case] }), judged...)
	slices.SortStableFunc(kept, func(a, b outcome) int { return cmp.Or(cmp.Compare(a.Case, b.Case), a.Rank-b.Rank) })
	var text bytes.Buffer
	for _, o := range kept {
		line, err := json.Marshal(o)
		if err != nil {
			return err
		}
		text.Write(append(line, '\n'))
	}
	return os.WriteFile(name, text.Bytes(), 0o666)
}

func readOutcomes(name string) ([]outcome, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []outcome
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		var o outcome
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		all = append(all, o)
	}
	return all, in.Err()
}
