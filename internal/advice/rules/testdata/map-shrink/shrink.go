package shrink

import "maps"

type session struct {
	id   uint64
	seen [4]int64
	name string
}

type server struct {
	sessions map[uint64]session
	byName   map[string]*session
}

var seen map[string]int

func newServer() *server {
	s := &server{byName: make(map[string]*session)}
	s.sessions = make(map[uint64]session)
	return s
}

func (s *server) open(id uint64) {
	// want C: The tables of s.sessions have room for about 1300000 keys. delete (line 29) frees none of it, and nothing replaces the map. If len(s.sessions) is much smaller,
	s.sessions[id] = session{id: id} // live: only 73728
}

func (s *server) close(id uint64) { delete(s.sessions, id) }

// login has one session in use for a hundred keys.
func (s *server) login(name string) {
	u := &session{name: name} // live: only 1048576
	// want C: Only 95 values are in use.
	s.byName[name] = u // live: only 24576
}

func (s *server) logout(name string) {
	delete(s.byName, name)
	s.byName = maps.Clone(s.byName) // as large as before
}

func count(name string) {
	if seen == nil {
		seen = make(map[string]int)
	}
	// want C: The tables of seen
	seen[name]++ // live: only 24576
}

func reset() { clear(seen) }
