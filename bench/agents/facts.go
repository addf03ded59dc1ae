package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// A fact is a performance commit of a public module.
type fact struct {
	ID              string `json:"id"`
	Repo            string `json:"repo"`
	Commit          string `json:"commit"`
	Parent          string `json:"parent"`
	Bench           string `json:"bench"` // a regular expression
	BenchPkg        string `json:"bench_pkg"`
	BenchFromCommit bool   `json:"bench_from_commit"`
	Class           string `json:"rewrite_class"`
	// Time and Allocs are how many of its parent's nanoseconds and allocations per operation the commit takes: 0.8 is a
	// gain of 20 %. They were measured with go test, without hone: see gain.go.
	Time   float64 `json:"time"`
	Allocs float64 `json:"allocs"`
}

// smallGain is what the author's change has to bring before hone prove has to see it.
const smallGain = 0.03

// An edit makes a wrong patch of one of the commits, or of its parent: it replaces texts that a file has once.
type edit struct {
	ID   string `json:"id"`
	Fact string `json:"fact"` // its id
	On   string `json:"on"`   // "parent" or "author": the state that it edits
	// Kind is what is wrong: "result", "race", "alias", "nil", "slower" or "same"; "gamed" is faster only where it is measured.
	Kind string `json:"kind"`
	// Set is 2 for those that were written to find what hone prove doesn't see, after the first 20 were judged.
	Set  int    `json:"set,omitempty"`
	File string `json:"file"`
	Note string `json:"note"`
	// Replace are pairs: a text, and what comes in its place.
	Replace [][2]string `json:"replace"`
}

// readLines decodes a file with a value in JSON on each line.
func readLines[T any](name string) ([]T, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all []T
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		all = append(all, v)
	}
	return all, in.Err()
}
