// Package patterns matches texts against regular expressions.
package patterns

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	tagRE   = regexp.MustCompile(`^v(\d+)\.(\d+)(?:-([a-z]+))?$`)
	levels  = regexp.MustCompile(`\b(ERROR|WARN)\b`)
	number  = regexp.MustCompile(`\d+(?:\.\d+)?`)
	pair    = regexp.MustCompile(`(\w+)\s*=\s*"([^"]*)"`)
	hashtag = regexp.MustCompile(`(?i)#[a-zé]{2,5}k?`)
	braces  = regexp.MustCompile(`\{([^}]+)\}`)
)

func match(s string) (all []bool) {
	all = append(all, tagRE.MatchString(s))
	all = append(all, levels.MatchString(s))
	all = append(all, levels.Match([]byte(s)))
	all = append(all, hashtag.MatchString(s))
	all = append(all, pair.Match([]byte(s)))
	return all
}

func find(s string) []any {
	text := number.FindString(s)
	at := number.FindStringIndex(s)
	parts := tagRE.FindStringSubmatch(s)
	places := pair.FindStringSubmatchIndex(s)
	inside := braces.FindSubmatch([]byte(s))
	all := number.FindAllString(s, -1)
	where := braces.FindAllStringIndex(s, -1)
	replaced := pair.ReplaceAllString(s, "<>")
	literal := number.ReplaceAllLiteralString(s, "$0")
	return []any{text, at, at == nil, parts, places, inside, cap(inside), all, where, replaced, literal}
}

func Run() string {
	var out strings.Builder
	for _, s := range []string{
		"", "v1.2", "v1.2-rc", "v1.2-", "v.2", "an ERROR", "ERRORS", "éWARN", "WARN\xff", "#go", "#é\u212a", "#GOK", "12.5.7", "7.", ".5",
		`a = "b"`, `a="b`, "a\n=\"\" b=\"c\"", "{x}{y", "{{}", "{}", "\xff{\xff}", "v1.2\n",
	} {
		fmt.Fprintf(&out, "%v %q\n", match(s), find(s))
	}
	return out.String()
}
