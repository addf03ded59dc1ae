//go:build go1.23

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// kinds are types of values that functions of any may tell apart.
var kinds = []reflect.Type{
	reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](),
	reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex128](),
	reflect.TypeFor[[]string](), reflect.TypeFor[[]int](), reflect.TypeFor[[]float64](), reflect.TypeFor[map[string]string](), reflect.TypeFor[map[string]int](),
	reflect.TypeFor[*int](), reflect.TypeFor[*string](), reflect.TypeFor[*any](), reflect.TypeFor[*map[string]any](), reflect.TypeFor[*[]string](), reflect.TypeFor[error](),
	reflect.TypeFor[json.Number](), reflect.TypeFor[[4]byte](), reflect.TypeFor[record](), reflect.TypeFor[*record](),
}

func (g *generator) anything(r *rand.Rand, depth int) any {
	switch n := r.IntN(12); {
	case n == 0:
		return nil
	case n == 1:
		return r.IntN(2) == 0
	case n == 2:
		return r.IntN(1000) - 10
	case n == 3:
		return float64(r.IntN(1000)) / 8
	case n == 4 && depth < 2:
		return []any{g.anything(r, depth+1), g.anything(r, depth+1)}
	case n == 5 && depth < 2:
		return map[string]any{text(r): g.anything(r, depth+1)}
	case n == 6:
		return []byte(text(r))
	case n == 7:
		return int64(r.Uint64())
	case n == 8 || n == 9:
		if v, ok := g.make(r, kinds[r.IntN(len(kinds))], 2); ok {
			return v.Interface()
		}
	}
	s := text(r)
	var document any
	if json.Unmarshal([]byte(s), &document) == nil {
		return document // tests have them as texts
	}
	return s
}

// basic makes a value of a basic kind. Sizes may be made of numbers, so most are small.
func basic(r *rand.Rand, t reflect.Type) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	switch {
	case t.Kind() == reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case v.CanInt():
		v.SetInt(integer(r, t))
	case v.CanUint():
		v.SetUint(unsigned(r, t))
	case v.CanFloat():
		v.SetFloat(float(r))
	case v.CanComplex():
		v.SetComplex(complex(float64(r.IntN(9)), float64(r.IntN(9))))
	case t.Kind() == reflect.String:
		v.SetString(text(r))
	default:
		return v, false
	}
	return v, true
}

// constant is a number that the change has, or one next to it.
func constant(r *rand.Rand) (int64, bool) {
	if len(numbers) == 0 || r.IntN(3) > 0 {
		return 0, false
	}
	n := numbers[r.IntN(len(numbers))] + []int64{-1, 1, 0, 0}[r.IntN(4)]
	if r.IntN(8) == 0 {
		n = -n
	}
	return n, true
}

func integer(r *rand.Rand, t reflect.Type) int64 {
	if runes && t.Kind() == reflect.Int32 {
		return int64(character(r))
	}
	n := int64(r.IntN(100))
	switch r.IntN(10) {
	case 0:
		n = -n
	case 1:
		n = r.Int64N(1 << 16)
	case 2:
		n = []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt8, math.MaxInt16, 1 << 62}[r.IntN(8)]
	case 3:
		n = int64(r.Uint64() | 1<<62)
	case 4, 6: // 1000 or 999: digits change there
		digits := r.IntN(19)
		if r.IntN(3) == 0 {
			digits = 15 + r.IntN(4) // floating point isn't exact there
		}
		n = int64(math.Pow10(digits)) - r.Int64N(2)
	case 5: // any number of bits
		n = r.Int64() >> r.IntN(63)
		if r.IntN(3) == 0 {
			n = 1<<r.IntN(63) + int64(r.IntN(3)-1)
		}
		if r.IntN(3) == 0 {
			n = -n
		}
	}
	if c, ok := constant(r); ok {
		n = c
	}
	if t.Bits() == 32 && small {
		n %= 1 << 8
	} else if t.Bits() == 32 && r.IntN(16) > 0 {
		n %= 1 << 12 // exponents and sizes
	}
	return n
}

func unsigned(r *rand.Rand, t reflect.Type) uint64 {
	n := uint64(r.IntN(100))
	switch r.IntN(10) {
	case 0:
		n = r.Uint64N(1 << 16)
	case 1:
		n = math.MaxUint64
	case 2, 3:
		n = r.Uint64() | 1<<62
	case 4:
		n = r.Uint64() >> r.IntN(64)
	case 5:
		n = 1<<r.IntN(64) - r.Uint64N(2)
	}
	if c, ok := constant(r); ok {
		n = uint64(c)
	}
	if t.Bits() == 32 && small {
		n %= 1 << 8
	} else if t.Bits() == 32 && r.IntN(16) > 0 {
		n %= 1 << 20
	}
	return n
}

// float makes a number. Half of them are exact in few bits, so that their sums are, too.
func float(r *rand.Rand) float64 {
	f := float64(r.IntN(2000)-1000) / 16
	switch r.IntN(12) {
	case 0, 1:
		f = [...]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -1e-300, math.SmallestNonzeroFloat64, math.MaxFloat32 * 2, 0.1, -0.5, 1.5, 2.5,
			1 << 53, 1<<53 + 2, math.MaxInt64, r.NormFloat64() * 1e9}[r.IntN(17)]
	case 2, 3, 4:
		f = r.Float64()
	case 5, 6:
		f = r.NormFloat64() * math.Pow10(r.IntN(9)-3)
	case 7:
		f = float64(r.IntN(20))
	}
	if len(numbers) > 0 && r.IntN(6) == 0 {
		f = float64(numbers[r.IntN(len(numbers))]) + float64(r.IntN(3)-1)/2
	}
	if len(fractions) > 0 && r.IntN(6) == 0 {
		f = fractions[r.IntN(len(fractions))] * [...]float64{1, 1, -1, 1 + 1e-9, 1 - 1e-9}[r.IntN(5)]
	}
	return f
}

// lengths are those around sizes of blocks.
var lengths = []int{4, 8, 16, 24, 32, 48, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096}

// length is one at which code often has a limit.
func length(r *rand.Rand, most int) int {
	n := lengths[r.IntN(len(lengths))]
	if len(numbers) > 0 && r.IntN(2) == 0 {
		if c := numbers[r.IntN(len(numbers))]; int64(lengths[0]) <= c && c <= 1<<14 {
			n = int(c)
		}
	}
	n += r.IntN(3) - 1
	switch r.IntN(8) {
	case 0:
		n = r.IntN(1 + n + n/2)
	case 1, 2:
		n += r.IntN(1 + n) // well above a limit
	}
	return min(n, most)
}

// long is a text of such a length.
func long(r *rand.Rand) string {
	n := length(r, 1<<14+1)
	s := text(r) + text(r)
	if s == "" {
		s = "a"
	}
	s = strings.Repeat(s, n/len(s)+1)
	return s[:n]
}

// edited changes a few characters of a text.
func edited(r *rand.Rand, s string) string {
	return string(edit(r, []rune(s), func() rune { return character(r) }))
}

// edit changes, adds and removes a few elements, often the first and the last one: functions pass over what two lists share at their ends.
func edit[T any](r *rand.Rand, all []T, other func() T) []T {
	all = slices.Clone(all)
	change := func(at int) {
		switch {
		case at == len(all) || r.IntN(3) == 0:
			all = slices.Insert(all, at, other())
		case r.IntN(2) == 0:
			all[at] = other()
		default:
			all = slices.Delete(all, at, at+1)
		}
	}
	for range r.IntN(8) {
		change(r.IntN(len(all) + 1))
	}
	if r.IntN(3) == 0 {
		change(0)
		change(max(0, len(all)-r.IntN(2)))
	}
	if r.IntN(8) == 0 {
		all = all[:r.IntN(len(all)+1)]
	}
	return all
}

// alphabets are for texts: ASCII, characters that have another width or another number of bytes in another case, those that join, and spaces.
var alphabets = [...]string{
	"ab", "abcdefghijklmnopqrstuvwxyz", "0123456789.-", "aB \t\n/,;:=\"'<>&%é世\x00", "01", "aZ09_-. ", "kKſsSİiIıßẞΣσςǅ", "a e\u0301\u200d👩👧🇩🇪\ufe0f世界ﾊ\u1100\u1161",
	" \u00a0\u2028\ufeff\u0085\u3000\r\n\v\f", "\ufffd\U0010ffff\u07ff\u0800\uffff\U00010000a",
}

// invalid bytes of UTF-8.
var invalid = []string{"\xff", "\x80", "\xc3", "\xe4\xb8", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\xaf"}

// character is a rune.
func character(r *rand.Rand) rune {
	switch r.IntN(4) {
	case 0:
		return rune(r.IntN(128))
	case 1:
		all := []rune(alphabets[r.IntN(len(alphabets))])
		return all[r.IntN(len(all))]
	case 2:
		if c, ok := constant(r); ok && c == int64(rune(c)) {
			return rune(c)
		}
		return [...]rune{-1, 0, 0x7f, 0x80, 0xff, 0x100, 0x3ff, 0x1100, 0x2e80, 0xac00, 0xd800, 0xdfff, 0xe000, 0xfb01, 0xfffd, 0x1f600, 0x20000, 0xe0100, 0x10ffff, 0x110000}[r.IntN(20)]
	}
	return rune(r.IntN(1 << (7 + r.IntN(15))))
}

// text is a string: one of the package's tests or of the change, perhaps changed, or letters, or anything.
func text(r *rand.Rand) string {
	switch r.IntN(24) {
	case 0:
		return strconv.FormatInt(integer(r, reflect.TypeFor[int]()), 10)
	case 1, 2:
		s := letters(r)
		at := r.IntN(len(s) + 1)
		return s[:at] + invalid[r.IntN(len(invalid))] + s[at:]
	}
	if len(ownTexts) > 0 && r.IntN(6) == 0 {
		own := ownTexts[r.IntN(len(ownTexts))]
		switch r.IntN(3) {
		case 0:
			return own
		case 1:
			if s, ok := near(r, own); ok {
				return s
			}
		}
		s := someText(r)
		at := r.IntN(len(s) + 1)
		return s[:at] + own + s[at:]
	}
	return someText(r)
}

// near changes a byte of a test's text in or next to a part of it that the change names.
func near(r *rand.Rand, part string) (string, bool) {
	var with []string
	for _, s := range texts {
		if strings.Contains(s, part) && part != "" {
			with = append(with, s)
		}
	}
	if len(with) == 0 {
		return "", false
	}
	b := []byte(with[r.IntN(len(with))])
	at := strings.Index(string(b), part) + r.IntN(len(part)+8) - 4
	b[max(0, min(at, len(b)-1))] = "aZ0 .:/-"[r.IntN(8)]
	return string(b), true
}

func someText(r *rand.Rand) string {
	if len(texts) == 0 || r.IntN(3) == 0 {
		return letters(r)
	}
	s := texts[r.IntN(len(texts))]
	switch r.IntN(7) {
	case 0:
		b := []byte(s)
		if len(b) > 0 {
			b[r.IntN(len(b))] = byte(r.IntN(128))
		}
		return string(b)
	case 1:
		return s[:r.IntN(len(s)+1)]
	case 2:
		return s + texts[r.IntN(len(texts))]
	case 3:
		return strings.Repeat(s, 2+r.IntN(7))
	case 4:
		all := []rune(s)
		if len(all) > 0 {
			all[r.IntN(len(all))] = character(r)
		}
		return string(all)
	}
	return s
}

func letters(r *rand.Rand) string {
	var b strings.Builder
	alphabet := alphabets[r.IntN(len(alphabets))]
	if len(texts) > 0 && r.IntN(2) == 0 {
		alphabet = texts[r.IntN(len(texts))] + texts[r.IntN(len(texts))] // what means something to the package
	}
	all := []rune(alphabet + "a")
	if len(numbers) > 0 && r.IntN(3) == 0 {
		if c := numbers[r.IntN(len(numbers))]; 0 < c && c <= 0x10ffff {
			all = append(all, rune(c), rune(c))
		}
	}
	for range [...]int{0, 1, 2, 3, 7, 16, 33, 70}[r.IntN(8)] {
		fmt.Fprintf(&b, "%c", all[r.IntN(len(all))])
	}
	return b.String()
}
