// Package lazyregexp has regular expressions that are compiled when they are first used.
// A variable of a package that regexp.MustCompile sets costs every start of hone, also where
// no verb asks for it. TestStart in package doc counts what is left of such costs.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression. Goroutines may share it.
type Regexp struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// New returns the regular expression of a text. It panics on first use if the text is none.
//
// It has to be inlined: then the compiler lays a variable out in the binary, and starting the
// program does nothing for it.
func New(text string) *Regexp { return &Regexp{text: text} }

// Get returns the compiled regular expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.text) })
	return r.re
}

func (r *Regexp) String() string { return r.text }

// The methods of a compiled one that hone uses most; Get has the others.

func (r *Regexp) Match(b []byte) bool { return r.Get().Match(b) }

func (r *Regexp) MatchString(s string) bool { return r.Get().MatchString(s) }

func (r *Regexp) FindString(s string) string { return r.Get().FindString(s) }

func (r *Regexp) FindStringSubmatch(s string) []string { return r.Get().FindStringSubmatch(s) }

func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.Get().FindSubmatch(b) }

func (r *Regexp) ReplaceAllString(s, by string) string { return r.Get().ReplaceAllString(s, by) }
