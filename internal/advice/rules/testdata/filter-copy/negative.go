package negative

type user struct {
	name   string
	active bool
}

type store struct{ users []user }

// used is needed afterwards.
func used(users []user) ([]user, int) {
	var out []user
	for _, u := range users {
		if u.active {
			out = append(out, u) // hot: runtime.growslice
		}
	}
	return out, len(users)
}

// inPlace is filtered in place.
func inPlace(users []user) []user {
	out := users[:0]
	for _, u := range users {
		if u.active {
			out = append(out, u) // hot: runtime.growslice
		}
	}
	return out
}

// field is somebody else's.
func (s *store) field() []user {
	var out []user
	for _, u := range s.users {
		if u.active {
			out = append(out, u) // hot: runtime.growslice
		}
	}
	return out
}

// all is a copy of all.
func all(users []user) []user {
	var out []user
	for _, u := range users {
		out = append(out, u) // hot: runtime.growslice
	}
	return out
}

// changed is of another type.
func changed(users []user) []string {
	var out []string
	for _, u := range users {
		if u.active {
			out = append(out, u.name) // hot: runtime.growslice
		}
	}
	return out
}

// again is used when the outer loop comes by.
func again(users []user, marks []string) (n int) {
	for _, m := range marks {
		var out []user
		for _, u := range users {
			if u.name == m {
				out = append(out, u) // hot: runtime.growslice
			}
		}
		n += len(out)
	}
	return n
}

// shared is a variable that others have, too.
func shared(users []user, f func(*[]user)) []user {
	f(&users)
	var out []user
	for _, u := range users {
		if u.active {
			out = append(out, u) // hot: runtime.growslice
		}
	}
	return out
}

// added to what is there already.
func added(out, users []user) []user {
	for _, u := range users {
		if u.active {
			out = append(out, u) // hot: runtime.growslice
		}
	}
	return out
}
