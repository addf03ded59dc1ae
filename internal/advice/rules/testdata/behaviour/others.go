package others

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

var suffix = regexp.MustCompile(`\.go$`)

func matches(name string) (n int) {
	if suffix.MatchString(name) {
		n++
	}
	return n
}

func digest(b []byte, key string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	h.Write(b)
	return append(b, h.Sum(nil)...)
}

func total(m map[string]int) (n int) {
	for k := range m {
		if m[k] > 1 {
			n += m[k]
		}
	}
	return n
}

func took(begin time.Time) time.Duration { return time.Now().Sub(begin) }

type missing struct{ name string }

func (e *missing) Error() string { return e.name + " is missing" }

type code int

func (c code) Error() string { return fmt.Sprint("code ", int(c)) }

// wraps says that it is a code by itself.
type wraps struct{ error }

func (wraps) As(target any) bool {
	c, ok := target.(*code)
	if ok {
		*c = 7
	}
	return ok
}

func Run() string {
	var out strings.Builder
	add := func(x ...any) { fmt.Fprintln(&out, x...) }
	add(matches("a.go"), matches("a.go.txt"), matches(""), digest([]byte("text"), "key"), total(map[string]int{"a": 1, "b": 2, "c": 3}), took(time.Now()) < time.Hour)
	for _, err := range []error{nil, errors.New("plain"), &missing{"a"}, fmt.Errorf("two: %w %w", code(3), &missing{"b"}), wraps{errors.New("inner")}} {
		add(asked(err))
	}
	for _, x := range []any{1, "text", code(4), &missing{"c"}, []int{1}, nil} {
		add(asserted(reflect.ValueOf(&x).Elem()))
		if x != nil {
			add(asserted(reflect.ValueOf(x)))
		}
	}
	add(types(reflect.TypeOf(code(1))), types(reflect.TypeOf(1)))
	a, b := []int{1, 2}, []int{3}
	joined := join(a, b, nil)
	joined[0] = 9
	add(joined, join(nil, nil, nil), a, b, clipped(a, b), len(clipped(nil, nil)))
	add(maps([]string{"x", "y", "x", "z", "x"}))
	add(copies([]string{"p", "q"}))
	add(headers())
	return out.String()
}

func asked(err error) (said []string) {
	var m *missing
	if errors.As(err, &m) {
		said = append(said, "missing "+m.name)
	}
	var c code
	if !errors.As(err, &c) {
		said = append(said, "no code")
	} else {
		said = append(said, fmt.Sprint("code ", int(c)))
	}
	var any interface{ Unwrap() []error }
	if errors.As(err, &any) {
		said = append(said, "several")
	}
	return said
}

func asserted(v reflect.Value) (said []string) {
	if n, ok := v.Interface().(int); ok {
		said = append(said, fmt.Sprint(n+1))
	}
	s, ok := v.Interface().(string)
	said = append(said, s, fmt.Sprint(ok))
	if err, ok := v.Interface().(error); ok {
		said = append(said, err.Error())
	}
	return said
}

func types(t reflect.Type) []string {
	return []string{
		fmt.Sprint(t.Implements(reflect.TypeOf((*error)(nil)).Elem())),
		fmt.Sprint(t == reflect.TypeOf(0)),
		reflect.TypeOf([]fmt.Stringer(nil)).Elem().String(),
	}
}

func join(a, b, c []int) []int {
	return append(append(append([]int(nil), a...), b...), c...)
}

func clipped(a, b []int) []int {
	return append(a[:len(a):len(a)], b...)
}

func maps(words []string) []string {
	n, at := map[string]int{}, map[string][]int{}
	for i, w := range words {
		if _, ok := n[w]; ok {
			n[w]++
		} else {
			n[w] = 1
		}
		if _, ok := at[w]; ok {
			at[w] = append(at[w], i)
		} else {
			at[w] = []int{i}
		}
	}
	for _, w := range []string{"y", "none"} {
		if _, ok := n[w]; ok {
			delete(n, w)
		}
	}
	return []string{fmt.Sprint(n), fmt.Sprint(at)}
}

func copies(src []string) []string {
	dst := make([]string, 3)
	for i, x := range src { // what is there
		dst[i] = x
	}
	array := [2]int{5, 6}
	var other [2]int
	for i := range array {
		other[i] = array[i]
	}
	bs, offset := []byte("abcdef"), 2
	limit := len(bs) - offset
	for i := 0; i < limit; i++ {
		bs[i] = bs[offset+i]
	}
	return append(dst, fmt.Sprint(other), string(bs))
}

func headers() []string {
	h := http.Header{}
	h.Set("content-type", "text/plain")
	h.Add("x-request-ID", "1")
	h.Add(http.CanonicalHeaderKey("x-request-id"), "2")
	values := slices.Concat(h.Values("X-REQUEST-ID"), []string{h.Get("Content-type")})
	h.Del("x-request-id")
	return append(values, fmt.Sprint(h))
}
