package main

import "testing"

// TestPick has the runs that the tour keeps, the newest first.
func TestPick(t *testing.T) {
	const runs = `[
		{"id": "load", "command": ["hone", "load", "http"]},
		{"id": "gate", "command": ["hone", "check", "-against", "HEAD", "-profile", "none"]},
		{"id": "last step", "command": ["hone", "bench", "-against", "HEAD"]},
		{"id": "first step", "command": ["hone", "bench", "-against", "HEAD"]},
		{"id": "before", "command": ["hone", "bench", "-count", "6"]}]`
	if first, last, err := pick([]byte(runs)); first != "before" || last != "last step" || err != nil {
		t.Errorf("%q and %q, %v", first, last, err)
	}
	if _, _, err := pick([]byte(`[{"id": "load", "command": ["hone", "load"]}]`)); err == nil {
		t.Error("no two runs, and no error")
	}
}
