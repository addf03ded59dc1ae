package values

import (
	"fmt"
	"net/url"
	"reflect"
)

type kind string

type level uint8

type state int

func (s state) String() string { return [...]string{"off", "on"}[s] }

func key(host string, port int) string {
	// want A: host + ":" + strconv.Itoa(port)
	return fmt.Sprintf("%s:%d", host, port) // hot: fmt.Sprintf fmt.(*pp).doPrintf
}

func named(k kind, l level, wide int64, set bool, b []byte) string {
	// want A: makes the same string
	return fmt.Sprintf("%s/%d/%x/%v/%s 100%%", k, l, wide, set, b) // hot: fmt.Sprintf
}

func single(s string, k kind, n uint16) (string, string, string) {
	// want A: s is the same
	a := fmt.Sprint(s) // hot: fmt.Sprint
	// want A: string(k)
	b := fmt.Sprintf("%v", k) // hot: fmt.Sprintf
	// want A: strconv.Itoa(int(n))
	c := fmt.Sprintf("%d", n) // hot: fmt.Sprintf
	return a, b, c
}

func lists(a, b int, s string) {
	// want A: as interfaces and inspects their types on each call
	use(fmt.Sprint(a, b, s, a)) // hot: fmt.Sprint
	// want A: in a buffer on the stack
	use(fmt.Sprintf("%q\n", s)) // hot: fmt.Sprintf
	// want A: as interfaces and inspects their types on each call
	use(fmt.Sprintln(s, a, true)) // hot: fmt.Sprintln
	// want A: same string
	use(fmt.Sprintf("%s%s", s, s)[1:]) // hot: fmt.Sprintf
}

func floats(f float64, g float32) string {
	// want A: same string
	return fmt.Sprintf("%v %g %.2f %f", f, g, f, g) // hot: fmt.Sprintf
}

func methods(s state, u *url.URL) string {
	// want B: Check that s.String() doesn't panic
	a := fmt.Sprintf("state %s", s) // hot: fmt.Sprintf
	// want B: Check that u is never nil
	b := fmt.Sprintf("GET %s (%s)", u, s) // hot: fmt.Sprintf
	return a + b
}

func reflected(v reflect.Value, s state) string {
	// want A: v.Type().String() + ": " + reflect.TypeOf(s).String()
	return fmt.Sprintf("%s: %s", v.Type(), reflect.TypeOf(s)) // hot: fmt.Sprintf
}

func use(string) {}

func attribute(name, value string) string {
	// want A: makes the same string
	return fmt.Sprintf(` %s="%s"`, name, value) // hot: fmt.Sprintf
}
