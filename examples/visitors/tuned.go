package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
)

var colorName = regexp.MustCompile(`^[a-z]*$`)

// greetCompiled is greetCompile with the regular expression compiled once.
func greetCompiled(w http.ResponseWriter, r *http.Request) {
	if !colorName.MatchString(r.FormValue("color")) {
		http.Error(w, "a color is a name in lower case", http.StatusBadRequest)
		return
	}
	number := fmt.Sprint(visits.Add(1))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(`<p style="color: ` + r.FormValue("color") + `">You are visitor ` + number + ".</p>\n"))
}

// greetNoHeader is greetCompiled without the header, which net/http sets to
// the same value when it sees how the body starts, and without a string for
// each part of the body.
func greetNoHeader(w http.ResponseWriter, r *http.Request) {
	color := r.FormValue("color")
	if !colorName.MatchString(color) {
		http.Error(w, "a color is a name in lower case", http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "<p style=\"color: %s\">You are visitor %d.</p>\n", color, visits.Add(1))
}

// greetPooled is greetNoHeader with the body written into a buffer that the
// next request uses again. Fprintf has such a buffer too, but its arguments
// are interfaces, and what goes into one is allocated.
func greetPooled(w http.ResponseWriter, r *http.Request) {
	color := r.FormValue("color")
	if !colorName.MatchString(color) {
		http.Error(w, "a color is a name in lower case", http.StatusBadRequest)
		return
	}
	buf := buffers.Get().(*[]byte)
	b := append((*buf)[:0], `<p style="color: `...)
	b = append(b, color...)
	b = append(b, `">You are visitor `...)
	b = strconv.AppendInt(b, visits.Add(1), 10)
	b = append(b, ".</p>\n"...)
	_, _ = w.Write(b) // keeps nothing of b, says io.Writer
	*buf = b
	buffers.Put(buf)
}

// greetScanned is greetPooled without a regular expression for what a loop
// says as well.
func greetScanned(w http.ResponseWriter, r *http.Request) {
	color := r.FormValue("color")
	if !isColorName(color) {
		http.Error(w, "a color is a name in lower case", http.StatusBadRequest)
		return
	}
	buf := buffers.Get().(*[]byte)
	b := append((*buf)[:0], `<p style="color: `...)
	b = append(b, color...)
	b = append(b, `">You are visitor `...)
	b = strconv.AppendInt(b, visits.Add(1), 10)
	b = append(b, ".</p>\n"...)
	_, _ = w.Write(b)
	*buf = b
	buffers.Put(buf)
}

func isColorName(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// A pool of pointers: a slice itself would be allocated to become an any.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, 128)) }}
