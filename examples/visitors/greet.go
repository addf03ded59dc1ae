package main

import (
	"fmt"
	"net/http"
	"regexp"
	"sync/atomic"
)

// visits counts the visitors greeted.
var visits atomic.Int64

// greet is the version in use. A step of the loop changes this one line;
// BenchmarkInUse of two revisions then tells what the step gave.
func greet(w http.ResponseWriter, r *http.Request) { greetScanned(w, r) }

// greetCompile is the handler as it was first written: right, and slow where
// a profile says so. It greets a visitor in the color they ask for, if any.
func greetCompile(w http.ResponseWriter, r *http.Request) {
	if ok, _ := regexp.MatchString(`^[a-z]*$`, r.FormValue("color")); !ok {
		http.Error(w, "a color is a name in lower case", http.StatusBadRequest)
		return
	}
	number := fmt.Sprint(visits.Add(1))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(`<p style="color: ` + r.FormValue("color") + `">You are visitor ` + number + ".</p>\n"))
}
