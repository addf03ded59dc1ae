package search

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
)

type options struct {
	prefix string
	depth  int
}

var mark = "*"

func count(lines []string, query string) int {
	n := 0
	for _, line := range lines {
		// want B: strings.ToLower gets query
		if strings.Contains(strings.ToLower(line), strings.ToLower(query)) { // hot: strings.ToLower
			n++
		}
	}
	return n
}

func indent(w io.Writer, rows [][]string, o options, depth int) {
outer:
	for _, row := range rows {
		for i, cell := range row {
			if cell == "" {
				continue outer
			}
			// want B: strconv.Itoa gets o.depth
			fmt.Fprint(w, strconv.Itoa(o.depth), i) // hot: strconv.Itoa
			// want C: strings.Repeat gets "\t", depth
			fmt.Fprint(w, strings.Repeat("\t", depth)) // hot: strings.Repeat
			// want B: strings.Repeat gets mark, 3
			fmt.Fprint(w, strings.Repeat(mark, 3)) // hot: strings.Repeat
		}
		for strings.HasPrefix(row[0], strings.ToUpper(o.prefix)) { // cold
			row = row[1:]
		}
	}
}

func each(rows []int, limit string, o *options) (all []string, err error) {
	for i := 0; i < len(rows); i++ {
		// want C: an error would then appear anyway
		d, err := time.ParseDuration(limit) // hot: time.ParseDuration
		if err != nil {
			return nil, err
		}
		// want C: doesn't seem to change the arguments of strings.ToUpper
		name := strings.ToUpper(o.prefix) + fmt.Sprintf("%03d", rows[i]) // hot: strings.ToUpper
		// want B: fmt.Sprintf gets "%s-%d", limit, 17
		all = append(all, name, d.String(), fmt.Sprintf("%s-%d", limit, 17)) // hot: fmt.Sprintf
	}
	return all, nil
}

func upTo(limit, text string) (n int) {
	for i := 0; i < len(strings.TrimSpace(text)); i++ { // cold
		n++
	}
	// want B: strings.TrimSpace gets text
	for i := 0; i < len(strings.TrimSpace(text)); i++ { // hot: strings.TrimSpace
		n++
	}
	return n
}

func send(w io.Writer, message options, hosts []string, base string) error {
	for _, h := range hosts {
		// want C: json.Marshal gets message
		text, err := json.Marshal(message) // hot: encoding/json.Marshal
		if err != nil {
			return err
		}
		// want C: url.Parse gets base
		u, err := url.Parse(base) // hot: net/url.Parse
		if err != nil {
			return err
		}
		u.Host = h
		fmt.Fprint(w, u, text)
	}
	return nil
}

func first(payload map[string]any, number int) ([]byte, error) {
	payload["number"] = number
	// want C: of the map is set here before all of it is encoded
	return json.Marshal(payload) // hot: encoding/json.Marshal
}

func skipped(xs []string, query string) (n int) {
	if len(xs) == 3 {
		goto done
	}
	for _, x := range xs {
		// want C: strings.ToLower gets query
		if x == strings.ToLower(query) { // hot: strings.ToLower
			n++
		}
	}
done:
	return n
}

// again goes through the loop once more with another query.
func again(query string) (n int) {
again:
	// want C: strings.TrimSpace gets query
	for i := 0; i < len(strings.TrimSpace(query)); i++ { // hot: strings.TrimSpace
		n++
	}
	if n < 10 {
		query += "xxx"
		goto again
	}
	return n
}
