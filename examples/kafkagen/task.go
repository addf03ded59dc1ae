package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// A task says which messages to send: those of devices with numbers from first
// on, each of which sends each payload once.
type task struct {
	prefix    string // before a device's number
	first     int64
	devices   int64
	payloads  []map[string]any
	rules     []rule
	parseFail []string // payloads that are left out, and why
}

// A rule replaces the value at a path by parts, joined. Rules are applied in the
// order of their paths; each sees what those before it wrote.
type rule struct {
	path  string
	parts []part
}

// A part is the value at a path, if it can be one and there is such a value, and
// the text itself otherwise.
type part struct {
	text string
	path bool
}

// deviceNo is the key of a payload whose value becomes the device's number.
const deviceNo = "deviceNo"

// newTask reads payloads, a JSON object a line, and replacements, a JSON object
// with a list of parts for each path. A payload that can't be read, or in which
// something can't be replaced, is left out; all others are good for any number.
func newTask(prefix string, first, devices int64, payloads, replacements string) (*task, error) {
	if first < 0 || devices < 0 || first+devices < 0 {
		return nil, errors.New("numbers of devices are not negative, and no more than 63 bits")
	}
	t := &task{prefix: prefix, first: first, devices: devices, parseFail: []string{}}
	var lists map[string][]string
	if err := json.Unmarshal([]byte(replacements), &lists); err != nil {
		return nil, fmt.Errorf("replacements: %w", err)
	}
	for _, path := range slices.Sorted(maps.Keys(lists)) {
		if !isPath(path) {
			return nil, fmt.Errorf("replacements: invalid path %q: use keys of letters, digits, _ and -, with dots between them", path)
		}
		r := rule{path: path}
		for _, text := range lists[path] {
			r.parts = append(r.parts, part{text, isPath(text)})
		}
		t.rules = append(t.rules, r)
	}
	number := 0
	for line := range strings.Lines(payloads) {
		number++
		if strings.TrimSpace(line) == "" {
			continue
		}
		payload, err := readPayload(line)
		if err == nil {
			// Whether a value can be replaced does not depend on the number.
			_, err = firstMessage(payload, prefix, first, t.rules)
		}
		if err != nil {
			t.parseFail = append(t.parseFail, fmt.Sprintf("line %d: %v", number, err))
			continue
		}
		t.payloads = append(t.payloads, payload)
	}
	return t, nil
}

func readPayload(line string) (map[string]any, error) {
	var payload map[string]any
	if err := json.Unmarshal([]byte(line), &payload); err != nil {
		return nil, err
	}
	if payload == nil {
		return nil, errors.New("null is not an object")
	}
	return payload, nil
}

// isPath reports whether a text is keys with dots between them. What else gjson
// can do with paths is left out: it could make the form of a message depend on
// the number in it.
func isPath(text string) bool {
	for key := range strings.SplitSeq(text, ".") {
		if key == "" || strings.ContainsFunc(key, func(r rune) bool {
			return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			return false
		}
	}
	return true
}
