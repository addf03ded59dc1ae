package scope

type claims struct {
	issued, expires *float64
	ids             []*string
}

// The variables end with the statement that declares them.
func (c *claims) read(m map[string]any) {
	// says: f escapes to heap
	// want A: A copy in the branch
	if f, ok := m["issued"].(float64); ok { // alloc: runtime.newobject
		delete(m, "issued")
		c.issued = &f
	}
	// says: f escapes to heap
	// want A: A copy in the branch
	if f, ok := m["expires"].(float64); !ok { // alloc: runtime.newobject
		return
	} else if f > 3 {
		c.expires = &f
	} else {
		delete(m, "expires")
	}
}

// Nothing comes after the branch in the iteration.
func (c *claims) collect(all []string) {
	// says: id escapes to heap
	// want A: A copy in the branch
	for i, id := range all { // alloc: runtime.newobject
		if len(id) > 3 {
			id += "!"
			if i > 7 {
				continue
			}
			c.ids = append(c.ids, &id)
		}
	}
}

func (c *claims) last(n int) {
	// says: f escapes to heap
	// want A: A copy in the branch
	f := float64(n) // alloc: runtime.newobject
	switch f++; {
	case n > 3:
		c.issued = &f
	case n > 1:
		c.expires = &f
		f = 4
	}
}

// The condition of the next branch sees the change, so the copy is made before both.
func (c *claims) next(m map[string]any) {
	// says: f escapes to heap
	// want A: A copy in the branch
	if f, ok := m["issued"].(float64); ok { // alloc: runtime.newobject
		if f > 1 {
			c.issued = &f
		}
		if *c.issued > 3 {
			f++
		}
	}
}

// The loop inside goes on with the variable: its copy is made outside.
func (c *claims) inner(n int, m map[string]any) {
	// says: f escapes to heap
	// want A: A copy in the branch
	if f, ok := m["issued"].(float64); ok { // alloc: runtime.newobject
		for range n {
			f++
			if f > 7 {
				c.issued = &f
			}
		}
	}
}
