package server

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server/auth"
)

// Connections bound how many connections there are at a time. Zeros are
// defaults, negative numbers of PerAddress and Reserve are no limit and none.
type Connections struct {
	Most int // 4096
	// PerAddress is how many may come from one address without having logged in;
	// of IPv6 a /64 counts as one. 1024.
	PerAddress int
	// Reserve is how many there may be above Most while all of those are in use,
	// for the health of the server and for people. 64.
	Reserve int
	// Proxies send for others: PerAddress does not bound them, and where a
	// request comes from is what they say in X-Forwarded-For.
	Proxies []netip.Prefix
}

func (c Connections) withDefaults() Connections {
	c.Most = cmp.Or(c.Most, usualConnections)
	if c.PerAddress = cmp.Or(c.PerAddress, usualPerAddress); c.PerAddress < 0 {
		c.PerAddress = c.Most
	}
	c.Reserve = max(0, cmp.Or(c.Reserve, usualReserve))
	return c
}

const (
	usualConnections = 4096
	usualPerAddress  = 1024
	usualReserve     = 64
	// flushTime is how long the server may take to write an answer after it was
	// made: so long a connection is not one that nobody needs, unless there are
	// many after it.
	flushTime = time.Second
	manyIdle  = 16
)

// A standing is what the latest request of a connection has shown.
type standing uint8

const (
	stranger standing = iota // nothing: none was sent yet, or it was let in nowhere
	anyone                   // it was let in, as everyone is
	known                    // a token or a session
	standings
)

// A gate accepts connections. Whoever holds one open costs others nothing: when
// there is no room, one is closed that nobody needs. Those go first that are of
// strangers and answer no request, then those that answer a stranger's, then
// others that answer none; of each the one that has been so for longest. None is
// closed that answers a request of someone who was let in.
type gate struct {
	net.Listener
	of     Connections
	closed chan struct{}
	once   sync.Once
	left   chan struct{} // has an element when there may be room again

	waited atomic.Int64 // how often a connection had to wait for room
	forced atomic.Int64 // connections closed to make room
	over   atomic.Int64 // connections closed because their address has too many

	mu        sync.Mutex
	open      int
	lines     [standings][2]list.List // of *gateConn: those without requests, those with; who came last is last
	addresses map[netip.Prefix]*address
}

// An address is where connections come from that nobody has logged in on.
type address struct {
	conns int
	idle  list.List // of *gateConn: those without requests
}

type gateConn struct {
	net.Conn
	gate    *gate
	from    netip.Prefix
	bounded bool // by PerAddress
	// reserved tells that it is one of the Reserve.
	reserved bool

	// With gate.mu:
	gone     bool
	standing standing
	requests int
	answered time.Time // the end of the latest request
	line     *list.List
	place    *list.Element
	address  *address
	idle     *list.Element // in address.idle
}

func newGate(l net.Listener, of Connections) *gate {
	return &gate{
		Listener: l, of: of, closed: make(chan struct{}), left: make(chan struct{}, 1),
		addresses: map[netip.Prefix]*address{},
	}
}

// Accept returns the next connection that there is room for.
func (g *gate) Accept() (net.Conn, error) {
	for {
		inner, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &gateConn{Conn: inner, gate: g}
		c.from, c.bounded = g.origin(inner.RemoteAddr())
		for waits := false; ; waits = true {
			out, fits := g.admit(c)
			if out != nil {
				out.Conn.Close()
			}
			if out == c {
				break
			}
			if fits {
				return c, nil
			}
			if !waits {
				g.waited.Add(1)
			}
			select {
			case <-g.left:
			case <-time.After(flushTime):
			case <-g.closed:
				inner.Close()
				return nil, net.ErrClosed
			}
		}
	}
}

// origin returns what counts as one address, and whether its connections are bounded.
func (g *gate) origin(a net.Addr) (netip.Prefix, bool) {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Prefix{}, false
	}
	ip := at.Addr().Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	from, err := ip.Prefix(bits)
	return from, err == nil && !contains(g.of.Proxies, ip)
}

func contains(of []netip.Prefix, ip netip.Addr) bool {
	for _, p := range of {
		if p.Contains(ip) {
			return true
		}
	}
	return false
}

// admit takes a connection in if it fits. It returns one to close, which may be
// the connection itself.
func (g *gate) admit(c *gateConn) (out *gateConn, fits bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if a := g.addresses[c.from]; c.bounded && a != nil && a.conns >= g.of.PerAddress {
		g.over.Add(1)
		first := a.idle.Front()
		if first == nil {
			return c, false
		}
		out = first.Value.(*gateConn)
		g.remove(out)
	}
	if g.open >= g.of.Most && out == nil {
		if out = g.needless(); out != nil {
			g.forced.Add(1)
			g.remove(out)
		}
	}
	if g.open >= g.of.Most+g.of.Reserve {
		return out, false
	}
	c.reserved = g.open >= g.of.Most
	g.open++
	g.file(c)
	return out, true
}

// needless returns the connection that is missed least, or nil.
func (g *gate) needless() *gateConn {
	for _, line := range []*list.List{&g.lines[stranger][0], &g.lines[stranger][1], &g.lines[anyone][0], &g.lines[known][0]} {
		if line.Len() > manyIdle {
			return line.Front().Value.(*gateConn)
		}
		for at := line.Front(); at != nil; at = at.Next() {
			if c := at.Value.(*gateConn); time.Since(c.answered) > flushTime {
				return c
			}
		}
	}
	return nil
}

// file puts a connection into the lines where it belongs, at their ends.
func (g *gate) file(c *gateConn) {
	g.unfile(c)
	busy := min(c.requests, 1)
	c.line = &g.lines[c.standing][busy]
	c.place = c.line.PushBack(c)
	if !c.bounded || c.standing == known {
		return
	}
	a := g.addresses[c.from]
	if a == nil {
		a = new(address)
		g.addresses[c.from] = a
	}
	a.conns++
	if c.address = a; busy == 0 {
		c.idle = a.idle.PushBack(c)
	}
}

func (g *gate) unfile(c *gateConn) {
	if c.line == nil {
		return
	}
	c.line.Remove(c.place)
	if a := c.address; a != nil {
		if c.idle != nil {
			a.idle.Remove(c.idle)
		}
		if a.conns--; a.conns == 0 {
			delete(g.addresses, c.from)
		}
	}
	c.line, c.place, c.address, c.idle = nil, nil, nil, nil
}

// remove forgets a connection, of which there is room for another.
func (g *gate) remove(c *gateConn) {
	if c.gone || c.line == nil {
		return
	}
	c.gone = true
	g.unfile(c)
	g.open--
	g.tell()
}

// tell has a connection that waits for room look again.
func (g *gate) tell() {
	select {
	case g.left <- struct{}{}:
	default:
	}
}

func (g *gate) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.Listener.Close()
}

// used returns how many connections are open.
func (g *gate) used() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

func (c *gateConn) Close() error {
	c.gate.mu.Lock()
	c.gate.remove(c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// begin notes that a request is answered on the connection. The caller calls end
// when it is.
func (c *gateConn) begin(by standing) {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.requests++
	if c.standing = by; !c.gone {
		c.gate.file(c)
	}
}

func (c *gateConn) end() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.answered = time.Now()
	if c.requests--; c.requests == 0 && !c.gone {
		c.gate.file(c)
		c.gate.tell()
	}
}

// connKey is the key of the connection in contexts of requests.
type connKey struct{}

// withConn is for http.Server.ConnContext.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if over, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = over.NetConn()
	}
	if c, ok := c.(*gateConn); ok {
		ctx = context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// standingOf tells what a request shows.
func standingOf(p *auth.Principal) standing {
	switch {
	case p == nil:
		return stranger
	case p.By == auth.ByNothing:
		return anyone
	}
	return known
}

// onConnection notes for the gate what is asked on a connection. On one of the
// reserve no more is answered than what that is for, and it ends after that.
func onConnection(agents *Agents, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*gateConn)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		by := standingOf(auth.From(r.Context()))
		c.begin(by)
		defer c.end()
		if c.reserved {
			w.Header().Set("Connection", "close")
			if !asksHealth(r) && (by == stranger || agents.isPush(r)) {
				refuse(w, r, &ingest.Error{Reason: ingest.Unavailable, RetryAfter: time.Second, Err: errors.New("too many connections: try again in a moment")})
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// sender returns where a request comes from: what the connection says, or a
// proxy that is trusted. Such proxies add the address that they were asked from
// at the end of X-Forwarded-For; what stands before it anyone may have written.
func sender(connections *atomic.Pointer[gate], r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	from := at.Addr().Unmap()
	c := connections.Load()
	if c == nil || !contains(c.of.Proxies, from) {
		return from
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && contains(c.of.Proxies, from); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		from = hop.Unmap()
	}
	return from
}
