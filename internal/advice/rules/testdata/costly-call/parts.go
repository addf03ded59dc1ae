package calls

import (
	"bytes"
	"strings"
	"unicode"
)

func parts(text string, b []byte) (n int) {
	// want C: strings.Fields allocates a slice for all fields each time
	n += len(strings.Fields(text)) // hot: strings.Fields
	// want C: FieldsFuncSeq
	n += len(strings.FieldsFunc(text, unicode.IsSpace)) // hot: strings.FieldsFunc
	// want C: check for the separator first
	n += len(bytes.Split(b, []byte(","))) // hot: bytes.Split bytes.genSplit
	// want C: Cut splits a text in two without a slice
	n += len(bytes.SplitN(b, []byte(","), 2)) // hot: bytes.SplitN bytes.genSplit
	// want C: bytes.Fields allocates a slice for all fields each time
	n += len(bytes.Fields(b)) // hot: bytes.Fields
	// want C: FieldsFuncSeq
	n += len(bytes.FieldsFunc(b, unicode.IsSpace)) // hot: bytes.FieldsFunc
	return n
}

func cleaned(text string, in int) string {
	// want C: combine several replacements in one strings.Replacer
	text = strings.Replace(text, "\r\n", "\n", -1) // hot: strings.Replace
	// want C: combine several replacements in one strings.Replacer
	text = strings.ReplaceAll(text, "\t", " ") // hot: strings.ReplaceAll strings.Replace
	// want C: slice a string that is long enough instead
	return text + strings.Repeat(" ", in) // hot: strings.Repeat
}
