package main

import (
	"context"
	"os"
	"regexp"
	"strings"
)

// openRegexp is the service as it was first written: each question reads the
// works and matches each of their lines against a pattern.
func openRegexp(dir string) (counter, error) {
	return func(ctx context.Context, query string) (int64, error) {
		return countLines(ctx, dir, query, matchRegexp)
	}, nil
}

func matchRegexp(line, query string) (bool, error) {
	return regexp.MatchString("(?i)"+regexp.QuoteMeta(query), line)
}

// openSubstring looks for the words themselves, which no pattern is needed for.
// Beyond ASCII the two differ, as (?i) takes ſ for an s; the works are ASCII.
func openSubstring(dir string) (counter, error) {
	return func(ctx context.Context, query string) (int64, error) {
		return countLines(ctx, dir, strings.ToLower(query), matchSubstring)
	}, nil
}

func matchSubstring(line, query string) (bool, error) {
	return strings.Contains(strings.ToLower(line), query), nil
}

// countLines reads the works and returns how many of their lines match.
func countLines(ctx context.Context, dir, query string, match func(line, query string) (bool, error)) (int64, error) {
	texts, err := readFiles(dir)
	if err != nil {
		return 0, err
	}
	n := int64(0)
	for _, text := range texts {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for _, line := range strings.Split(text, "\n") {
			ok, err := match(line, query)
			if err != nil {
				return 0, err
			}
			if ok {
				n++
			}
		}
	}
	return n, nil
}

// readFiles returns the texts of the works.
func readFiles(dir string) ([]string, error) {
	names, err := works(dir)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(b))
	}
	return texts, nil
}
