package template

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A function of templates.
type function struct {
	usage    string
	min, max int // arguments
	compile  func(args []word) (part, error)
}

var functions = map[string]function{
	"n":       {"n", 0, 0, plain(func(dst []byte, v *Values) []byte { return strconv.AppendInt(dst, v.N, 10) })},
	"int":     {"int MIN MAX", 2, 2, compileInteger},
	"float":   {"float MIN MAX [DIGITS]", 2, 3, compileFloat},
	"hex":     {"hex DIGITS", 1, 1, compileFrom("0123456789abcdef")},
	"letters": {"letters COUNT", 1, 1, compileFrom("abcdefghijklmnopqrstuvwxyz")},
	"uuid":    {"uuid", 0, 0, plain(appendUUID)},
	"one":     {`one "TEXT" "TEXT"…`, 1, math.MaxInt, compileOne},
	"unix":    {"unix", 0, 0, plain(func(dst []byte, _ *Values) []byte { return strconv.AppendInt(dst, now().Unix(), 10) })},
	"unixms":  {"unixms", 0, 0, plain(func(dst []byte, _ *Values) []byte { return strconv.AppendInt(dst, now().UnixMilli(), 10) })},
	"unixns":  {"unixns", 0, 0, plain(func(dst []byte, _ *Values) []byte { return strconv.AppendInt(dst, now().UnixNano(), 10) })},
	"time":    {"time", 0, 0, plain(func(dst []byte, _ *Values) []byte { return now().UTC().AppendFormat(dst, time.RFC3339Nano) })},
}

func functionNames() string { return strings.Join(slices.Sorted(maps.Keys(functions)), ", ") }

// A plainPart is a function without arguments.
type plainPart func(dst []byte, v *Values) []byte

func (f plainPart) append(dst []byte, v *Values) []byte { return f(dst, v) }

func plain(f plainPart) func([]word) (part, error) {
	return func([]word) (part, error) { return f, nil }
}

// A randomInteger is one of the integers from least to least+span. With a span of
// math.MaxUint64 it is any int64.
type randomInteger struct {
	least int64
	span  uint64
}

func compileInteger(args []word) (part, error) {
	least, err := args[0].integer()
	if err != nil {
		return nil, err
	}
	most, err := args[1].integer()
	if err != nil {
		return nil, err
	}
	if most < least {
		return nil, args[1].errorf("%d is less than %d", most, least)
	}
	return randomInteger{least, uint64(most) - uint64(least)}, nil
}

func (i randomInteger) append(dst []byte, v *Values) []byte {
	by := v.Rng.Uint64()
	if i.span != math.MaxUint64 {
		by = v.Rng.Uint64N(i.span + 1)
	}
	return strconv.AppendInt(dst, int64(uint64(i.least)+by), 10)
}

// A randomFloat is a number from least to most, with so many digits after the point.
type randomFloat struct {
	least, most float64
	digits      int
}

func compileFloat(args []word) (part, error) {
	f := randomFloat{digits: 6}
	for i, to := range []*float64{&f.least, &f.most} {
		v, err := strconv.ParseFloat(args[i].text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, args[i].errorf("invalid number %q", args[i].text)
		}
		*to = v
	}
	if f.most < f.least {
		return nil, args[1].errorf("%v is less than %v", f.most, f.least)
	}
	if len(args) > 2 {
		v, err := args[2].integer()
		if err != nil || v < 0 || v > 15 {
			return nil, args[2].errorf("invalid number of digits %q: use 0 to 15", args[2].text)
		}
		f.digits = int(v)
	}
	return f, nil
}

func (f randomFloat) append(dst []byte, v *Values) []byte {
	u := v.Rng.Float64()
	return strconv.AppendFloat(dst, f.least*(1-u)+f.most*u, 'f', f.digits, 64)
}

// randomCharacters are n characters of an alphabet, of one byte each.
type randomCharacters struct {
	alphabet string
	n        int
}

func compileFrom(alphabet string) func([]word) (part, error) {
	return func(args []word) (part, error) {
		n, err := args[0].size()
		return randomCharacters{alphabet, n}, err
	}
}

func (f randomCharacters) append(dst []byte, v *Values) []byte {
	for range f.n {
		dst = append(dst, f.alphabet[v.Rng.Uint32N(uint32(len(f.alphabet)))])
	}
	return dst
}

func appendUUID(dst []byte, v *Values) []byte {
	const digits = "0123456789abcdef"
	high, low := v.Rng.Uint64(), v.Rng.Uint64()
	high = high&^0xf000 | 0x4000 // version 4: RFC 9562
	low = low&^(3<<62) | 2<<62   // its variant
	for i := range 32 {
		switch i {
		case 8, 12, 16, 20:
			dst = append(dst, '-')
		}
		word := high
		if i >= 16 {
			word = low
		}
		dst = append(dst, digits[word>>(60-4*(i%16))&15])
	}
	return dst
}

// A choice is one of several texts, at random.
type choice []string

func compileOne(args []word) (part, error) {
	var c choice
	for _, a := range args {
		c = append(c, a.text)
	}
	return c, nil
}

func (c choice) append(dst []byte, v *Values) []byte { return append(dst, c[v.Rng.IntN(len(c))]...) }
