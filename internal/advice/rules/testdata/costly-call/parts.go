package calls

import (
	"bytes"
	"strings"
	"unicode"
)

func parts(text string, b []byte) (n int) {
	// want C: makes a slice of all fields
	n += len(strings.Fields(text)) // hot: strings.Fields
	// want C: FieldsFuncSeq
	n += len(strings.FieldsFunc(text, unicode.IsSpace)) // hot: strings.FieldsFunc
	// want C: ask first whether the separator
	n += len(bytes.Split(b, []byte(","))) // hot: bytes.Split bytes.genSplit
	// want C: Cut takes a text in two
	n += len(bytes.SplitN(b, []byte(","), 2)) // hot: bytes.SplitN bytes.genSplit
	// want C: makes a slice of all fields
	n += len(bytes.Fields(b)) // hot: bytes.Fields
	// want C: FieldsFuncSeq
	n += len(bytes.FieldsFunc(b, unicode.IsSpace)) // hot: bytes.FieldsFunc
	return n
}

func cleaned(text string, in int) string {
	// want C: strings.Replacer, made once
	text = strings.Replace(text, "\r\n", "\n", -1) // hot: strings.Replace
	// want C: strings.Replacer, made once
	text = strings.ReplaceAll(text, "\t", " ") // hot: strings.ReplaceAll strings.Replace
	// want C: a part of the length needed
	return text + strings.Repeat(" ", in) // hot: strings.Repeat
}
