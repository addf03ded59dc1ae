package errors

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
)

const most = 3

type kind uint8

func (k kind) String() string { return strings.Repeat("k", int(k)) }

func Run() string {
	var out strings.Builder
	add := func(x ...any) { fmt.Fprintln(&out, x...) }
	for _, err := range []error{nil, io.EOF, fmt.Errorf("inner: %w", io.EOF)} {
		e := wrapped("name", err)
		add(e, errors.Is(e, io.EOF), errors.Unwrap(e) == err)
		e = counted(5, kind(2), []byte("by\xfftes"), err)
		add(e, errors.Is(e, io.EOF), errors.Unwrap(e) == nil)
	}
	add(counted(1, 0, nil, nil))
	for _, name := range []string{"ok", "missing", "none", ""} {
		add(code(name))
	}
	add(days(1, true), days(2, false))
	add(sums([]byte("text"), 'é', 0xf, 255, -1))
	for _, seconds := range []float64{0, 0.0004, 0.02, 5} {
		add(unit(seconds))
	}
	return out.String()
}

func wrapped(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s, %d%%: %w", name, most, err)
	}
	return nil
}

func counted(n int, k kind, b []byte, err error) error {
	if n > most {
		e := fmt.Errorf("too many %v: %d > %d, %q %x %+v", k, n, most, b, b, err)
		b = append(b[:0], "other"...)
		return e
	}
	return fmt.Errorf("%5d|%-3d|%v", n, n, k)
}

func code(name string) (int, bool) {
	// The codes.
	codes := map[string]int{"ok": 200, "missing": 404} // by name
	n, ok := codes[name]
	return n + len(codes), ok || map[string]bool{"none": true}[name]
}

func days(month int, leap bool) (n int) {
	lengths := [...]int{31, 28, 31}
	for i, days := range lengths {
		if i < month {
			n += days
		}
	}
	if leap && lengths[month] == 28 {
		n++
	}
	return n
}

func sums(data []byte, r rune, b byte, v uint32, n int32) []string {
	sum := sha256.Sum256(data)
	var sb strings.Builder
	fmt.Fprintf(&sb, "%c %x %02x\n", r, sum, b)
	return []string{
		fmt.Sprintf("%x", sum),
		fmt.Sprintf("sum:%x", sum),
		fmt.Sprintf("%x %x", data, "text"),
		fmt.Sprintf("%02x%#x", b, v),
		fmt.Sprintf("%c%c%c", r, n, b),
		fmt.Sprintf("%.12f", float64(v)/7),
		sb.String(),
	}
}

func unit(seconds float64) string {
	format := "%.1fs"
	switch {
	case seconds < 1e-3:
		format, seconds = "%.1fµs", seconds*1e6
	case seconds < 1:
		format, seconds = "%.1fms", seconds*1e3
	}
	text := fmt.Sprintf(format, seconds)
	return text + "!"
}
