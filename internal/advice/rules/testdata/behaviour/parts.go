package parts

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"regexp"
	"strings"
	"time"
)

type pair struct {
	a, b string
}

func Run() string {
	var out []string
	add := func(x ...any) { out = append(out, fmt.Sprintln(x...)) }
	for _, s := range []string{"", "a", "a=b", "a=b=c", "=", "K=ſ", "é=ü=", "A,B;c"} {
		add(first(s), key(s), value(s), last(s), joined(s), counted(s), inIf(s), reused(s), list(s))
		add(matches(s), compiled(s), equal(s, "A=B"), equal(s, s), any3(s), replaced(s))
		add(bytesOf([]byte(s), s))
		add(again(s, 2), again(s, 0))
	}
	for _, s := range []string{"", "k", "K", "\u212a", "ſs", "Σσς", "a\ufffdK", "Straße", "STRASSE", "a.b", "A.B", "axb"} {
		for _, text := range []string{"", "K", "s", "ς", "\ufffd", "ß", ".", "a.B", "a\ufffdk"} {
			add(s, text)
			add(quotedFold(s, text))
			add(quoted(s, text))
			add(quotedBegins(s, text), quotedEnds(s, text), quotedIs(s, text), quotedFolds(s, text))
		}
	}
	add(pairs(pair{"a", "b"}), pairs(pair{"x", "b"}))
	add(errs(0), errs(1), errs(2))
	add(drawn(), location())
	for _, key := range []string{"", "a", "b", "none"} {
		add(most(map[string]int{"a": 3, "b": -1}, key), kept(map[string]*pair{"a": {"x", "y"}, "b": nil}, key), raised(map[string]int{"a": 1}, key))
	}
	return strings.Join(out, "")
}

func most(counts map[string]int, key string) (n int) {
	if counts[key] > n {
		n = counts[key]
	}
	if _, ok := counts[key]; ok {
		n += 10 * counts[key]
	}
	return n
}

func kept(pairs map[string]*pair, key string) string {
	p, ok := pairs[key]
	if !ok || p == nil {
		return "none"
	}
	return p.a + pairs[key].b
}

func raised(counts map[string]int, key string) map[string]int {
	if counts[key] > 0 {
		counts[key] = counts[key] + 1
	} else {
		delete(counts, "a")
	}
	return counts
}

func first(s string) string { return strings.Split(s, "=")[0] }

func key(s string) (k string) {
	k = strings.SplitN(s, "=", 2)[0]
	if strings.Split(s, "=")[0] == k && s != "" {
		k += "!"
	}
	var x any
	x = strings.Split(s, "=")[0]
	return k + fmt.Sprintf("%T", x)
}

func value(s string) string {
	parts := strings.SplitN(s, "=", 2)
	if len(parts) != 2 {
		return "none"
	}
	parts[0] = strings.TrimSpace(parts[0])
	return parts[1] + parts[0]
}

func last(s string) string {
	parts := strings.Split(s, "=")
	s = "changed"
	return parts[len(parts)-1] + s
}

func joined(s string) string {
	r := ""
	for _, p := range strings.Split(s, "=") {
		if p == "c" {
			break
		}
		r += p + "+"
	}
	for _, f := range strings.Fields(s) {
		r += f
	}
	for _, f := range strings.Split(s, "") {
		r += f + "."
	}
	return r
}

func counted(s string) int {
	n := 0
	parts := strings.Split(s, "=")
	for _, p := range parts {
		n += len(p)
	}
	return n
}

func inIf(s string) string {
	if parts := strings.SplitN(s, "=", 2); len(parts) == 2 {
		return parts[0]
	} else if len(parts) < 2 {
		return "?" + parts[0]
	}
	return "never"
}

func reused(s string) (before string) {
	before = "b"
	parts := strings.SplitN(s, "=", 2)
	f := func() string { return parts[0] }
	return before + f()
}

func list(s string) string {
	sep := ", "
	return strings.Join([]string{s, "x", s + "y"}, sep) + strings.Join([]string{"a", s}, "") + strings.Join([]string{s}, sep)
}

func matches(s string) bool {
	ok, _ := regexp.MatchString(`^\w+=`, s)
	if m, err := regexp.MatchString("b$", s); err == nil && m {
		return true
	}
	return ok
}

func compiled(s string) []string {
	re := regexp.MustCompile(`(a|ab)(c|bcd)?`)
	re.Longest()
	re2, err := regexp.Compile("[a-z]+")
	if err != nil {
		return nil
	}
	return append(re.FindAllString(s+"abcd", -1), re2.FindString(s))
}

func equal(a, b string) string {
	r := ""
	if strings.ToLower(a) == strings.ToLower(b) {
		r += "fold"
	}
	if strings.ToLower(a) == "a=b" || "A" == strings.ToUpper(a) {
		r += "const"
	}
	return r
}

func any3(s string) (r string) {
	if !strings.ContainsAny(s, "=,") && s != "" {
		r = "none"
	}
	if !bytes.ContainsAny([]byte(s), "=\"") || bytes.ContainsAny(nil, "=,") {
		r += "bytes"
	}
	return r + fmt.Sprint(strings.IndexAny(s, ";"), strings.ContainsAny(s, "'\\") == false)
}

func replaced(s string) string {
	r := strings.NewReplacer("a", "1", "=", "-")
	return r.Replace(s)
}

func bytesOf(b []byte, s string) string {
	r := fmt.Sprint(strings.Contains(string(b), "="), strings.Index(string(b), s), bytes.Equal(b, []byte(s)), !bytes.Equal([]byte(s), b) || s == "", strings.Count(string(b), ""))
	if strings.HasPrefix(string(b), "a") && strings.EqualFold(string(b), s) {
		r += "p"
	}
	return r
}

func pairs(p pair) string {
	r := fmt.Sprint(reflect.DeepEqual(p, pair{"a", "b"}), !reflect.DeepEqual(p, pair{"a", "b"}))
	if reflect.DeepEqual(pair{"a", "b"}, p) {
		r += "eq"
	}
	return r + fmt.Sprint(reflect.DeepEqual([]string{p.a}, []string{"a"}), reflect.DeepEqual(map[string]int{p.a: 1}, map[string]int{"a": 1}))
}

func errs(n int) error {
	switch n {
	case 0:
		return errors.New("zero: 100%")
	case 1:
		return fmt.Errorf("one 100%%")
	}
	return nil
}

func drawn() bool {
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	return r.Intn(10) < 10
}

func location() string {
	l, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return "no"
	}
	return time.Unix(0, 0).In(l).String()
}

func quotedFold(s, text string) (bool, error) {
	return regexp.MatchString("(?i)"+regexp.QuoteMeta(text), s)
}

func quoted(s, text string) (bool, error) {
	ok, err := regexp.MatchString(regexp.QuoteMeta(text), s)
	return ok, err
}

func quotedBegins(s, text string) bool {
	return regexp.MustCompile("^" + regexp.QuoteMeta(text)).MatchString(s)
}

func quotedEnds(s, text string) bool {
	ok, _ := regexp.MatchString(regexp.QuoteMeta(text)+"$", s)
	return ok
}

func quotedIs(s, text string) bool {
	return !regexp.MustCompile("^" + regexp.QuoteMeta(text) + "$").MatchString(s)
}

func quotedFolds(s, text string) bool {
	return regexp.MustCompile("(?i)^" + regexp.QuoteMeta(text) + "$").MatchString(s)
}

func again(s string, n int) (out []string) {
	title := strings.TrimLeft(s, "A")
	for range n {
		if strings.TrimSpace(s) == "a" {
			out = append(out, strings.TrimSpace(s), strings.TrimLeft(s, "A"))
		}
		out = append(out, title, strings.TrimLeft(s, "A"))
		s += " a"
		out = append(out, strings.TrimLeft(s, "A"))
	}
	return out
}
