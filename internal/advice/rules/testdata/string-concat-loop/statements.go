package statements

type session struct{ version, origin, name, uri, email string }

func line(key, value string) string { return key + value + "\r\n" }

func (s *session) text() string {
	var raw string
	// want C: 5 statements append to raw
	raw += line("v=", s.version) // alloc: 64 128 192 256
	// want C: 5 statements append to raw
	raw += line("o=", s.origin) // alloc: 64 128 192 256
	raw += line("s=", s.name)
	if s.uri != "" {
		// want C: 5 statements append to raw
		raw += line("u=", s.uri) // alloc
	}
	if s.email != "" {
		raw += line("e=", s.email)
	}
	return raw
}
