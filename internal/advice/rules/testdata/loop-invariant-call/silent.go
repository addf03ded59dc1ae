package silent

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

type cursor struct {
	name string
	n    int
}

func (c *cursor) next() bool { c.n++; c.name += "x"; return c.n < 10 }

func changes(lines []string, c *cursor, query string, message map[string]any) (all []string) {
	for _, line := range lines {
		all = append(all, strings.ToLower(line)) // hot: strings.ToLower
	}
	for c.next() {
		all = append(all, strings.ToUpper(c.name)) // hot: strings.ToUpper
	}
	for range 10 {
		query = strings.ToLower(query) // hot: strings.ToLower
	}
	for i := 0; i < 10; i++ {
		message[strconv.Itoa(i)] = i
		text, _ := json.Marshal(message)                                // hot: encoding/json.Marshal
		all = append(all, string(text), fmt.Sprintf("%s %d", query, i)) // hot: fmt.Sprintf
	}
	for i := range lines {
		word := lines[i]
		all = append(all, strings.ToUpper(word)) // hot: strings.ToUpper
		lines[i] = ""
		all = append(all, strings.ToUpper(lines[0])) // hot: strings.ToUpper
	}
	for _, word := range strings.Split(strings.ToLower(query), " ") { // hot: strings.ToLower
		all = append(all, word)
	}
	for {
		all = append(all, strings.ToUpper(query)) // hot: strings.ToUpper
		return all
	}
}

func pointers(n int, text string) (all []string) {
	p := &text
	for range n {
		fill(p)
		all = append(all, strings.ToLower(*p)) // hot: strings.ToLower
	}
	for range n {
		all = append(all, time.Now().String(), fmt.Sprint(time.Now())) // hot: fmt.Sprint
	}
	return append(all, strings.ToLower(text)) // hot: strings.ToLower
}

func find(all []string, query string) (string, error) {
	for _, s := range all {
		switch s {
		case "":
			return "", fmt.Errorf("empty: %s", fmt.Sprintf("%q", query)) // hot: fmt.Sprintf
		case "?":
			text := fmt.Sprintf("%q", query) // hot: fmt.Sprintf
			fmt.Println(text)
			return text, nil
		case "!":
			panic(fmt.Sprintf("%q", query)) // hot: fmt.Sprintf
		}
		if s == query {
			fmt.Println(strings.ToLower(query)) // hot: strings.ToLower
			break
		}
	}
	return strings.ToLower(query), nil // hot: strings.ToLower
}

func fill(p *string) { *p += "x" }

func build(payload map[string]any, n int) ([]byte, error) {
	other(payload)
	payload["n"] = n
	return json.Marshal(payload) // hot: encoding/json.Marshal
}

func other(payload map[string]any) {}
