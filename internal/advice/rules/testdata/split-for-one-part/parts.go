package parts

import (
	"bytes"
	"errors"
	"strings"
)

func key(pair string) (string, string, error) {
	// want B: before and after
	parts := strings.SplitN(pair, "=", 2) // hot: strings.SplitN strings.genSplit
	if len(parts) != 2 {
		return "", "", errors.New("no =")
	}
	return strings.TrimSpace(parts[0]), parts[1], nil
}

func host(address string) string {
	// want A: strings.Cut finds
	name := strings.Split(address, ":")[0] // hot: strings.Split
	return name
}

func media(contentType string) string {
	// want A: strings.Cut finds
	return strings.TrimSpace(strings.Split(contentType, ";")[0]) // hot: strings.Split
}

func scheme(url string) bool {
	// want A: strings.Cut finds
	if strings.SplitN(url, "://", 2)[0] == "https" { // hot: strings.SplitN
		return true
	}
	// want A: before and after
	parts := strings.Split(url, ":") // hot: strings.Split
	return parts[0] == "wss"
}

func value(line string) (rest string) {
	// want B: without one the index panics
	rest = strings.SplitN(line, ":", 2)[1] // hot: strings.SplitN
	return rest
}

func base(path string) string {
	// want A: which starts after strings.LastIndex of the separator
	parts := strings.Split(path, "/") // hot: strings.Split
	return parts[len(parts)-1]
}

func option(line []byte) ([]byte, bool) {
	// want B: before and after
	if kv := bytes.SplitN(line, []byte(" "), 2); len(kv) == 2 && len(kv[0]) > 0 { // hot: bytes.SplitN
		return kv[1], true
	}
	return nil, false
}

func second(line, sep string) (string, string) {
	// want B: without one the index panics
	a := strings.Split(line, ",")[1] // hot: strings.Split
	// want C: strings.Cut finds
	b := strings.Split(line, sep)[0] // hot: strings.Split
	return a, b
}

type header struct{ key string }

func named(line string, all []header, i int) string {
	// want B: that line[i:] doesn't panic: it is now evaluated first
	all[i].key = strings.Split(line[i:], ": ")[1] // hot: strings.Split
	// want B: without one the index panics
	if strings.SplitN(line, ";", 4)[1] == "" { // hot: strings.SplitN
		return line
	}
	// want C: strings.Cut finds
	part, third := 0, strings.Split(line, ".")[2] // hot: strings.Split
	return third[part:]
}

// suffixed appends to a part, behind which the other one stands.
func suffixed(line []byte) ([]byte, []byte) {
	// want C: before and after
	parts := bytes.SplitN(line, []byte("="), 2) // hot: bytes.SplitN
	if len(parts) != 2 {
		return nil, nil
	}
	// want C: bytes.Cut finds
	first := append(bytes.Split(line, []byte(";"))[0], '!') // hot: bytes.Split
	return append(parts[0], first...), parts[1]
}
