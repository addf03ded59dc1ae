package template

import (
	"encoding/json"
	"strconv"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// PathAt returns where an offset of a JSON text is, as in inner.items[2].count: the
// path of the value, or of the name, that it is at or in. It is "" outside of all
// objects and arrays. The text need not be right.
func PathAt(text []byte, at int) string {
	type level struct {
		array bool
		index int
		name  string
		value bool // of an object: its name came
	}
	var levels []level
	for i := 0; i < len(text) && i <= at; {
		top := (*level)(nil)
		if n := len(levels); n > 0 {
			top = &levels[n-1]
		}
		switch c := text[i]; {
		case c == '"':
			end := quotedEnd(text, i)
			if top != nil && !top.array && !top.value {
				_ = json.Unmarshal(text[i:end], &top.name)
			}
			i = end
			continue
		case i == at:
		case c == '{' || c == '[':
			levels = append(levels, level{array: c == '['})
		case top == nil:
		case c == '}' || c == ']':
			levels = levels[:len(levels)-1]
		case c == ':':
			top.value = true
		case c == ',' && top.array:
			top.index++
		case c == ',':
			top.name, top.value = "", false
		}
		i++
	}
	path := ""
	for _, l := range levels {
		switch {
		case l.array:
			path = Element(path, l.index)
		case l.name != "":
			path = Member(path, l.name)
		}
	}
	return path
}

// quotedEnd returns where the JSON text ends that begins at from.
func quotedEnd(text []byte, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

var plainName = lazyregexp.New(`^[\pL_][\pL\pN_-]*$`)

// Member returns the path of an object's member.
func Member(path, name string) string {
	switch {
	case !plainName.MatchString(name):
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// Element returns the path of an array's element.
func Element(path string, index int) string { return path + "[" + strconv.Itoa(index) + "]" }
