package look

type entry struct {
	id, text, name, level, key string
	interned                   string
}

type index struct {
	entries []*entry
	byID    map[string]*entry
	errors  int
	names   map[string]string
}

func (x *index) add(id, text, name, level, key []byte) {
	e := new(entry)
	e.id = string(id)     // live: only 16
	e.text = string(text) // live: only 512
	e.name = string(name) // live: only 16
	l := string(level)    // live: only 16
	e.key = string(key)   // alloc: only 16
	interned, ok := x.names[string(name)]
	if !ok {
		interned = string(name) // live: only 16
		x.names[interned] = interned
	}
	e.interned = interned
	x.entries = append(x.entries, e)
	x.byID[e.id] = e
	if e.text == "" || e.text == "none" || e.name == "" || l == "ERROR" || e.key == "a" || e.interned == "b" {
		x.errors++
	}
}
