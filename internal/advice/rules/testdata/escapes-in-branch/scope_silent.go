package silent

type claims struct {
	issued *float64
	ids    []*int
}

// The loop's last part changes what the branch has kept.
func (c *claims) counted(n int) {
	// says: i escapes to heap
	for i := 0; i < n; i++ { // alloc: runtime.newobject
		if i > 7 {
			c.ids = append(c.ids, &i)
		}
	}
}

// Control goes on in the next case.
func (c *claims) through(n int) {
	// says: f escapes to heap
	f := float64(n) // alloc: runtime.newobject
	switch {
	case n > 3:
		c.issued = &f
		fallthrough
	case n > 1:
		f++
	}
}

// Something comes after the switch around it.
func (c *claims) after(n int) float64 {
	// says: f escapes to heap
	f := float64(n) // alloc: runtime.newobject
	switch {
	case n > 3:
		if f > 1 {
			c.issued = &f
		}
	}
	return f
}

// A function that runs later sees the variable.
func (c *claims) deferred(n int) {
	// says: f escapes to heap
	f := float64(n) // alloc: runtime.newobject
	defer func() { print(f) }()
	if n > 3 {
		c.issued = &f
		f++
	}
}
