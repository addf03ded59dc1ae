//go:build unix

package rules

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice/regexpcode"
)

// Patterns, and the functions that are generated from them.
var (
	levels = regexp.MustCompile(`\b(?:ERROR|WARN)\b`)
	tags   = regexp.MustCompile(`^v(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$`)
)

func matched() map[string]versus {
	const tag = "v1.24.3-rc.1"
	return map[string]versus{
		"regexp-engine/generated": {func() { madeBool = levels.MatchString(sentence) }, func() { madeBool = matchLevel(sentence) }},
		"regexp-engine/places":    {func() { madeInt = len(tags.FindStringSubmatch(tag)[4]) }, func() { madeInt = len(findTagSubmatch(tag)[4]) }},
	}
}

// TestGeneratedIsMeasured: the functions below are what the rule generates today.
func TestGeneratedIsMeasured(t *testing.T) {
	text, err := os.ReadFile("gains_regexp_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		re *regexp.Regexp
		o  regexpcode.Options
	}{
		{levels, regexpcode.Options{Name: "matchLevel", Pattern: "levels", Method: "MatchString"}},
		{tags, regexpcode.Options{Name: "findTagSubmatch", Pattern: "tags", Method: "FindStringSubmatch"}},
	} {
		code, err := regexpcode.Generate(c.re.String(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), code.Text) {
			t.Errorf("%s is now\n%s", c.o.Name, code.Text)
		}
	}
}

// matchLevel reports whether s matches levels.
func matchLevel(s string) bool {
	state := 0 // what the text so far leads to, see each case
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch state {
		case 0: // nothing so far counts
			switch {
			case c == 'E':
				state = 2
			case c == 'W':
				state = 3
			case matchLevelByte(c):
				state = 1
			}
		case 1: // such as after "a"
			if !matchLevelByte(c) {
				state = 0
			}
		case 2: // such as after "E"
			switch {
			case c == 'R':
				state = 4
			case !matchLevelByte(c):
				state = 0
			default:
				state = 1
			}
		case 3: // such as after "W"
			switch {
			case c == 'A':
				state = 5
			case matchLevelByte(c):
				state = 1
			default:
				state = 0
			}
		case 4: // such as after "ER"
			switch {
			case c == 'R':
				state = 6
			case !matchLevelByte(c):
				state = 0
			default:
				state = 1
			}
		case 5: // such as after "WA"
			switch {
			case c == 'R':
				state = 7
			case !matchLevelByte(c):
				state = 0
			default:
				state = 1
			}
		case 6: // such as after "ERR"
			switch {
			case c == 'O':
				state = 8
			case !matchLevelByte(c):
				state = 0
			default:
				state = 1
			}
		case 7: // such as after "WAR"
			switch {
			case c == 'N':
				state = 9
			case !matchLevelByte(c):
				state = 0
			default:
				state = 1
			}
		case 8: // such as after "ERRO"
			switch {
			case c == 'R':
				state = 9
			case !matchLevelByte(c):
				state = 0
			default:
				state = 1
			}
		case 9: // such as after "WARN"
			if !matchLevelByte(c) {
				return true
			}
			state = 1
		}
	}
	return state == 9
}

// matchLevelByte reports whether c is in [0-9A-Z_a-z].
func matchLevelByte(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c == '_' || 'a' <= c && c <= 'z'
}

// findTagSubmatch returns the first match of tags in s and its submatches, or nil.
func findTagSubmatch(s string) []string {
	var group1, group2, group3, group4 string
	if !strings.HasPrefix(s, "v") {
		return nil
	}
	i := 1
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i == 1 {
		return nil
	}
	group1 = s[1:i]
	if i == len(s) || s[i] != '.' {
		return nil
	}
	i++
	from := i
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i == from {
		return nil
	}
	group2 = s[from:i]
	if i == len(s) || s[i] != '.' {
		return nil
	}
	i++
	from2 := i
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i == from2 {
		return nil
	}
	group3 = s[from2:i]
	if i < len(s) && s[i] == '-' {
		i++
		from3 := i
		for i < len(s) && findTagSubmatchByte(s[i]) {
			i++
		}
		if i == from3 {
			return nil
		}
		group4 = s[from3:i]
	}
	if i < len(s) {
		return nil
	}
	return []string{s[:i], group1, group2, group3, group4}
}

// findTagSubmatchByte reports whether c is in [\-\.0-9A-Za-z].
func findTagSubmatchByte(c byte) bool {
	return '-' <= c && c <= '.' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
