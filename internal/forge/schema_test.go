package forge

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPublishedSchema compares what hone sends to GitHub, and what the stand-in answers, with GitHub's
// OpenAPI description. It isn't copied here: HONE_GITHUB_OPENAPI names generated/api.github.com.json
// of the npm package @octokit/openapi. The calls agree with version 23.0.2.
func TestPublishedSchema(t *testing.T) {
	file := os.Getenv("HONE_GITHUB_OPENAPI")
	if file == "" {
		t.Skip("HONE_GITHUB_OPENAPI names no description")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d schema
	if err := json.Unmarshal(data, &d.root); err != nil {
		t.Fatal(err)
	}
	s := newStandIn(t, GitHub)
	s.add("", "of an account that is gone")
	for range 2 {
		if _, _, err := told(t, s.target(), report("r")); err != nil {
			t.Fatal(err)
		}
	}
	s.add(s.user, report("a second one").text())
	if _, _, err := told(t, s.target(), report("r")); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range s.exchanges {
		path, operation := d.operation(e)
		if operation == nil {
			t.Errorf("no such call: %s %s", e.method, e.path)
			continue
		}
		seen[e.method+" "+path] = true
		if len(e.request) > 0 {
			d.check(t, e.method+" "+path+" request", d.at(operation, "requestBody", "content", "application/json", "schema"), e.request)
		}
		answer := d.at(operation, "responses", fmt.Sprint(e.status))
		if answer == nil {
			t.Errorf("%s %s isn't answered with %d", e.method, path, e.status)
		} else if of := d.at(answer, "content", "application/json", "schema"); of != nil {
			d.check(t, e.method+" "+path+" answer", of, e.answer)
		}
	}
	if len(seen) != 6 {
		t.Errorf("calls %v, want 6", seen)
	}
}

// A schema is as much of an OpenAPI description as the calls need.
type schema struct{ root map[string]any }

func (d *schema) at(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := d.resolve(v).(map[string]any)
		v = m[k]
	}
	return d.resolve(v)
}

func (d *schema) resolve(v any) any {
	for {
		m, _ := v.(map[string]any)
		ref, _ := m["$ref"].(string)
		if ref == "" {
			return v
		}
		v = any(d.root)
		for _, k := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			v = v.(map[string]any)[k]
		}
	}
}

func (d *schema) operation(e exchange) (string, any) {
	for path, methods := range d.root["paths"].(map[string]any) {
		pattern := regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
		if operation := d.at(methods, strings.ToLower(e.method)); operation != nil && regexp.MustCompile("^/api/v3"+pattern+"$").MatchString(e.path) {
			return path, operation
		}
	}
	return "", nil
}

func (d *schema) check(t *testing.T, what string, of any, text []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for _, problem := range d.problems(of, v, "") {
		t.Errorf("%s: %s", what, problem)
	}
}

func (d *schema) problems(of, v any, at string) (found []string) {
	m, _ := d.resolve(of).(map[string]any)
	if either, ok := m["oneOf"].([]any); ok {
		for _, one := range either {
			if found = d.problems(one, v, at); len(found) == 0 {
				return nil
			}
		}
		return found
	}
	if v == nil {
		if m["nullable"] != true {
			return []string{at + " is null"}
		}
		return nil
	}
	if allowed, ok := m["enum"].([]any); ok && !slices.Contains(allowed, v) {
		found = append(found, fmt.Sprintf("%s is %v", at, v))
	}
	switch m["type"] {
	case "object":
		object, ok := v.(map[string]any)
		if !ok {
			return append(found, at+" isn't an object")
		}
		properties, _ := m["properties"].(map[string]any)
		required, _ := m["required"].([]any)
		for _, k := range required {
			if _, ok := object[k.(string)]; !ok {
				found = append(found, fmt.Sprintf("%s lacks %s", at, k))
			}
		}
		for k, member := range object {
			if p, ok := properties[k]; ok {
				found = append(found, d.problems(p, member, at+"."+k)...)
			} else if at == "" && properties != nil {
				found = append(found, at+" has the unknown member "+k)
			}
		}
	case "array":
		list, ok := v.([]any)
		if !ok {
			return append(found, at+" isn't an array")
		}
		for _, item := range list {
			found = append(found, d.problems(m["items"], item, at+"[]")...)
		}
	case "string":
		if _, ok := v.(string); !ok {
			found = append(found, at+" isn't a string")
		}
	case "integer":
		if n, ok := v.(float64); !ok || n != float64(int64(n)) {
			found = append(found, at+" isn't an integer")
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			found = append(found, at+" isn't a boolean")
		}
	}
	return found
}
