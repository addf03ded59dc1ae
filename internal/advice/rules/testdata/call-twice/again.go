package again

import (
	"strconv"
	"strings"
	"time"
)

type item struct {
	name string
	n    int
}

func (i *item) rename(name string) { i.name = name }

func kept(a, b string) bool {
	lower := strings.ToLower(a)
	if lower == b {
		return true
	}
	// want A: strings.ToLower has been called on line 17 with the same arguments, and nothing that it depends on changes; keep that result. (end)
	return strings.HasPrefix(strings.ToLower(a), b) // hot: strings.ToLower
}

func inCondition(a string) string {
	if strings.TrimSpace(a) == "" {
		return "-"
	}
	// want A: strings.TrimSpace has been called on line 26 with the same arguments
	return strings.TrimSpace(a) // hot: strings.TrimSpace
}

func field(i *item) string {
	var key = strings.ToUpper(i.name)
	if i.n > 3 {
		// want A: strings.ToUpper has been called on line 34 with the same arguments
		return key + strings.ToUpper(i.name) // hot: strings.ToUpper
	}
	return key
}

func thrice(n int, list []string) []string {
	list = append(list, "a"+strconv.Itoa(n))
	// want A: strconv.Itoa has been called on line 43 with the same arguments
	list = append(list, "b"+strconv.Itoa(n)) // hot: strconv.Itoa
	// want A: strconv.Itoa has been called on line 43 with the same arguments
	return append(list, "c"+strconv.Itoa(n)) // hot: strconv.Itoa
}

func onOneLine(t time.Time) string {
	// want A: (time.Time).Format has been called on this line with the same arguments
	return t.Format("2006") + t.Format("2006") // hot: time.Time.Format
}

func inLoop(list []string) (n int) {
	for _, s := range list {
		if strings.ToLower(s) == "x" {
			n++
			continue
		}
		// want A: strings.ToLower has been called on line 57 with the same arguments
		n += len(strings.ToLower(s)) // hot: strings.ToLower
	}
	return n
}

// The loop may have changed the field.
func fieldInCondition(i *item) string {
	if strings.ToLower(i.name) == "x" {
		return ""
	}
	// want C: strings.ToLower has been called on line 69 with the same arguments
	return strings.ToLower(i.name) // hot: strings.ToLower
}

func otherName(a string) string {
	b := a
	x := strings.ToLower(a)
	// want C: strings.ToLower has been called on line 78 with the same arguments
	return x + strings.ToLower(b) // hot: strings.ToLower
}

func results(a string) (int, error) {
	if _, err := strconv.Atoi(a); err != nil {
		return 0, err
	}
	// want C: strconv.Atoi has been called on line 84 with the same arguments
	return strconv.Atoi(a) // hot: strconv.Atoi
}

func assigned(a string) string {
	x := strings.ToLower(a)
	if len(a) > 3 {
		x += "!"
	}
	// want A: strings.ToLower has been called on line 92 with the same arguments
	return x + strings.ToLower(a) // hot: strings.ToLower
}

func branch(a string, yes bool) string {
	if yes || strings.ToLower(a) == "x" {
		return ""
	}
	// want C: strings.ToLower has been called on line 101 with the same arguments
	return strings.ToLower(a) // hot: strings.ToLower
}

func shadowed(a string) string {
	x := strings.ToLower(a)
	if x := len(a); x > 3 {
		// want A: strings.ToLower has been called on line 109 with the same arguments
		return strings.ToLower(a) // hot: strings.ToLower
	}
	return x
}

func blocks(a string, n int) (all []string) {
	{
		all = append(all, strings.Repeat(a, n))
	}
	// want C: strings.Repeat has been called on line 119 with the same arguments
	return append(all, strings.Repeat(a, n)) // hot: strings.Repeat
}

func received(a string, texts map[string]chan string) (b string) {
	select {
	case b = <-texts[strings.TrimRight(a, "x")]:
		// want C: strings.TrimRight has been called on line 127 with the same arguments
		b += strings.TrimRight(a, "x") // hot: strings.TrimRight
	}
	return b
}

func deferred(a string, done func(string)) string {
	defer done(strings.TrimRight(a, "x"))
	// want C: strings.TrimRight has been called on line 135 with the same arguments
	return strings.TrimRight(a, "x") // hot: strings.TrimRight
}
