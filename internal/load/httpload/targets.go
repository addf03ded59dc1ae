package httpload

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/infile"
)

// targetsLimit is the size of a file of targets at most, and of all their bodies, in bytes.
const targetsLimit = 256 << 20

// ReadTargets reads a file of targets in the formats of vegeta. In the one, a
// target is a line "METHOD URL", lines with headers, and perhaps a line "@FILE"
// with where its body is; an empty line ends it, and # begins a comment. In the
// other, a line is a JSON object with method, url, header (lists of values) and
// body (base64). Bodies are sent as they are, byte by byte.
func ReadTargets(ctx context.Context, path string) ([]Target, error) {
	text, err := infile.ReadAnyText(ctx, path, targetsLimit)
	if err != nil {
		return nil, err
	}
	var targets []Target
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		targets, err = readJSON(path, text)
	} else {
		targets, err = readPlain(ctx, path, text)
	}
	if err == nil && len(targets) == 0 {
		err = fmt.Errorf("%s: no targets", path)
	}
	return targets, err
}

func readJSON(path string, text []byte) ([]Target, error) {
	var targets []Target
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var t struct {
			Method string              `json:"method"`
			URL    string              `json:"url"`
			Header map[string][]string `json:"header"`
			Body   []byte              `json:"body"`
		}
		name := fmt.Sprintf("%s:%d", path, n)
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if t.Method == "" || t.URL == "" {
			return nil, fmt.Errorf("%s: a target needs a method and a url", name)
		}
		target := Target{Name: name, Method: t.Method, URL: t.URL, Body: string(t.Body), Raw: true}
		for field, values := range t.Header {
			for _, v := range values {
				target.Header = append(target.Header, Header{field, v})
			}
		}
		slices.SortStableFunc(target.Header, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
		targets = append(targets, target)
	}
	return targets, nil
}

func readPlain(ctx context.Context, path string, text []byte) ([]Target, error) {
	var targets []Target
	var t *Target
	bodies := 0 // bytes
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		name := fmt.Sprintf("%s:%d", path, n)
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			t = nil
		case t == nil || isTarget(line):
			method, url, ok := strings.Cut(line, " ")
			if !ok {
				return nil, fmt.Errorf("%s: invalid target %q: begin with METHOD URL", name, line)
			}
			targets = append(targets, Target{Name: name, Method: method, URL: strings.TrimSpace(url), Raw: true})
			t = &targets[len(targets)-1]
		case line[0] == '@':
			file := line[1:]
			if !filepath.IsAbs(file) {
				if _, err := os.Stat(file); err != nil { // beside the list, if not here
					file = filepath.Join(filepath.Dir(path), file)
				}
			}
			body, err := infile.ReadAny(ctx, file, targetsLimit)
			if err == nil {
				if bodies += len(body); bodies > targetsLimit {
					err = fmt.Errorf("the bodies of all targets are larger than %d MiB: use fewer or smaller ones", targetsLimit>>20)
				}
			}
			if err != nil {
				return nil, fmt.Errorf("%s: the body: %w", name, err)
			}
			t.Body = string(body)
		default:
			field, value, ok := strings.Cut(line, ":")
			if !ok {
				return nil, fmt.Errorf("%s: invalid line %q: use a header (Name: value) or a body (@FILE)", name, line)
			}
			t.Header = append(t.Header, Header{strings.TrimSpace(field), strings.TrimSpace(value)})
		}
	}
	return targets, nil
}

// isTarget reports whether a line begins a target though none ended before it.
func isTarget(line string) bool {
	method, url, ok := strings.Cut(line, " ")
	return ok && method == strings.ToUpper(method) && !strings.HasSuffix(method, ":") && strings.Contains(url, "://")
}
