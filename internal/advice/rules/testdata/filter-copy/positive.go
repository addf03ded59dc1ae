package positive

type user struct {
	name   string
	active bool
}

func active(users []user) []user {
	var out []user
	for _, u := range users {
		if u.active {
			// want C: start with out := users[:0]
			out = append(out, u) // hot: runtime.growslice
		}
	}
	return out
}

func skipping(load func() []*user) (n int) {
	users := load()
	// want C: start with kept := users[:0]
	kept := make([]*user, 0, len(users)) // alloc
	for i := range users {
		if !users[i].active {
			continue
		}
		kept = append(kept, users[i])
	}
	for _, u := range kept {
		n += len(u.name)
	}
	return n
}

func partition(users []user) (on, off []user) {
	for _, u := range users {
		if u.active {
			// want C: on gets some elements of users
			on = append(on, u) // hot: runtime.growslice
		} else {
			off = append(off, u)
		}
	}
	return on, off
}
