package look

import "maps"

type session struct {
	id   uint64
	name string
}

type server struct {
	kept     map[uint64]session
	replaced map[uint64]session
	copied   map[uint64]session
	full     map[uint64]*session
	small    map[uint64]session
	few      map[uint64]session
}

// keep never deletes.
func (s *server) keep(id uint64) {
	s.kept[id] = session{id: id} // live: only 73728
}

// replace starts anew.
func (s *server) replace(id uint64) {
	s.replaced[id] = session{id: id} // live: only 73728
	if len(s.replaced) > 1000 {
		delete(s.replaced, id)
		s.replaced = make(map[uint64]session)
	}
}

// shrink copies what is left.
func (s *server) shrink(id uint64) {
	s.copied[id] = session{id: id} // live: only 73728
	delete(s.copied, id)
	if len(s.copied) < 1000 {
		left := make(map[uint64]session, len(s.copied))
		maps.Copy(left, s.copied)
		s.copied = left
	}
}

// fill has as many values in use as the map has room for.
func (s *server) fill(id uint64) {
	v := &session{id: id} // live: only 32
	s.full[id] = v        // live: only 18432
}

func (s *server) empty(id uint64) { delete(s.full, id) }

// local ends with the function.
func local(ids []uint64) int {
	m := make(map[uint64]session)
	for _, id := range ids {
		m[id] = session{} // live: only 73728
		delete(m, id)
	}
	return len(m)
}

// one of many small maps isn't worth a copy.
func (s *server) one(id uint64) {
	s.small[id] = session{id: id} // live: only 208
	delete(s.small, id)
}

// allocated says nothing of what is in use.
func (s *server) allocated(id uint64) {
	s.few[id] = session{id: id} // alloc: only 73728
	delete(s.few, id)
}
