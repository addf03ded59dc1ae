package parse

import (
	"errors"
	"fmt"
	"strconv"
)

// digit parses one.
func digit(c byte) (int, error) {
	if c < '0' || c > '9' {
		// want B: create it once
		return 0, fmt.Errorf("not a digit, 100%% sure") // hot: fmt.Errorf
	}
	return int(c - '0'), nil
}

type reader struct{ text string }

func (r *reader) next() (err error) {
	if r.text == "" {
		// want B: create it once
		err = errors.New("…") // hot: errors.New
	}
	return wrap(err)
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	if _, e := strconv.Atoi(err.Error()); e != nil {
		// want B: create it once
		return errors.Join(err, errors.New("digit")) // hot: errors.New
	}
	return err
}

func first(text string) (byte, error) {
	if text == "" {
		// want B: create it once
		return 0, errors.New("no text") // hot: errors.New
	}
	return text[0], nil
}

func last(text string) (byte, error) {
	if text == "" {
		// want B: create it once
		return 0, fmt.Errorf("no text") // hot: fmt.Errorf
	}
	return text[len(text)-1], nil
}

var errNoLine = errors.New("no line")

func line(text string) (string, error) {
	if text == "" {
		return "", errNoLine
	}
	return text, nil
}

// second is not told from a first line that is missing by whoever compares.
func second(text string) (string, error) {
	s, err := line(text)
	if err == errNoLine {
		return "", nil
	}
	if s == text {
		// want B: create it once
		return "", errors.New("no line") // hot: errors.New
	}
	return s, err
}
