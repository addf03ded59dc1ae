package maps

type named map[string]any

func fields(at int, text string) (named, map[string]int) {
	// says: named{...} escapes to heap
	// want C: A map with 2 of its keys is made each time
	n := named{ // alloc
		"at":   at,
		"text": text,
	}
	// says: map[string]int{...} escapes to heap
	// want C: it can be a variable of the package
	return n, map[string]int{"first": 1, "last": -1} // alloc
}
