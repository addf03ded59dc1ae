package shell

import (
	"errors"
	"flag"
	"strconv"
	"time"
)

// explainFlags makes flags with numbers, durations and booleans say which values they accept.
// Package flag says only "parse error".
func explainFlags(flags *flag.FlagSet) {
	flags.VisitAll(func(f *flag.Flag) {
		if _, done := f.Value.(*explained); !done {
			f.Value = &explained{f.Value}
		}
	})
}

type explained struct{ flag.Value }

func (e *explained) Set(s string) error {
	if err := check(e.Get(), s); err != nil {
		return err
	}
	return e.Value.Set(s)
}

// Get is for [flag.Getter].
func (e *explained) Get() any {
	if g, ok := e.Value.(flag.Getter); ok {
		return g.Get()
	}
	return nil
}

// IsBoolFlag tells package flag that the value is optional.
func (e *explained) IsBoolFlag() bool {
	b, ok := e.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// check returns an error if s can't be a value of the type that v has.
func check(v any, s string) error {
	var err error
	expected := ""
	switch v.(type) {
	case int:
		_, err = strconv.ParseInt(s, 0, strconv.IntSize)
		expected = "use a whole number"
	case int64:
		_, err = strconv.ParseInt(s, 0, 64)
		expected = "use a whole number"
	case uint64:
		_, err = strconv.ParseUint(s, 0, 64)
		expected = "use a whole number of 0 or more"
	case float64:
		_, err = strconv.ParseFloat(s, 64)
		expected = "use a number"
	case time.Duration:
		_, err = time.ParseDuration(s)
		expected = "use a duration such as 500ms, 10s or 2m"
	case bool:
		_, err = strconv.ParseBool(s)
		expected = "use true or false"
	}
	if err != nil {
		return errors.New(expected)
	}
	return nil
}
