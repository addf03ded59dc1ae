package server

import (
	"net/http"
	"net/netip"
	"strings"
)

// What tests look at that are outside of this package, since servers with services
// import it.

const (
	PagePolicy = pagePolicy
	Immutable  = immutable
	Reserve    = usualReserve
)

// AddHosts has a server answer to names that were not known when it was made.
func (s *Server) AddHosts(names ...string) { s.cfg.Hosts = append(s.cfg.Hosts, names...) }

// Memory returns the bytes of what comes in.
func (s *Server) Memory() int64 { return s.memory.Used() }

// Connections returns how many connections are open, how often one waited, and how
// many were closed to have room.
func (s *Server) Connections() (open int, waited, forced int64) {
	g := s.connections.Load()
	return g.used(), g.waited.Load(), g.forced.Load()
}

// Trust has a server believe proxies.
func (s *Server) Trust(proxies []netip.Prefix) {
	s.connections.Store(newGate(nil, Connections{Proxies: proxies}.withDefaults()))
}

// Sender returns where a request comes from.
func (s *Server) Sender(r *http.Request) netip.Addr { return sender(&s.connections, r) }

// Waiters returns how many wait for values.
func (c *Cache) Waiters() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, it := range c.items {
		n += it.waiters
	}
	return n
}

// Kept returns how many values are kept whose keys begin with a text.
func (c *Cache) Kept(key string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, it := range c.items {
		if strings.HasPrefix(k, key) && it.element != nil {
			n++
		}
	}
	return n
}

// Empty forgets everything.
func (c *Cache) Empty() { c.items = map[string]*item{} }
