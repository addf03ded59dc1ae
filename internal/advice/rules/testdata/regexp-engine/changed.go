package changed

import (
	"encoding/json"
	"regexp"
)

var (
	read    = regexp.MustCompile(`^GET$`)
	decoded = regexp.MustCompile(`^GET$`)
	aliased = regexp.MustCompile(`^GET$`)
	half    = regexp.MustCompile(`^\x{d800}$`)
)

func configure(text []byte) error {
	p := &aliased
	*p = regexp.MustCompile(string(text))
	if err := json.Unmarshal(text, decoded); err != nil {
		return err
	}
	return read.UnmarshalText(text)
}

func changed(text string) (n int) {
	// want C: calls UnmarshalText, which changes it. (end)
	if read.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: passes decoded on. (end)
	if decoded.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: aliased is assigned more than once. (end)
	if aliased.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	// want C: it has a surrogate, which no text has. (end)
	if half.MatchString(text) { // hot: regexp.(*Regexp).MatchString
		n++
	}
	return n
}
