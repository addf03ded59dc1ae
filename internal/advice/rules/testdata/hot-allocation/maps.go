package maps

import "net/url"

type named map[string]any

func fields(at int, text string) (named, map[string]int) {
	// says: named{...} escapes to heap
	// want C: Use a struct with a field per key
	n := named{ // alloc
		"at":   at,
		"text": text,
	}
	// says: map[string]int{...} escapes to heap
	// want C: make it a package variable
	return n, map[string]int{"first": 1, "last": -1} // alloc
}

func given(name, value string) (string, []map[string]interface{}) {
	// says: url.Values{...} escapes to heap
	// want C: or pass the values without a map. (end)
	query := url.Values{"q": {value}}.Encode() // alloc
	// says: map[string]interface {}{...} escapes to heap | []map[string]interface {}{...} escapes to heap
	// want C: created each time A map of 1 entries is created each time
	return query, append([]map[string]interface{}(nil), map[string]interface{}{name: value}) // alloc
}
