package clickhouse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// A client sends statements over HTTP to the servers of a cluster.
//
// The text of a statement consists of constants and numbers. Whatever comes from a profile or a
// query is sent along as a block in the Native format: rows to insert, or a temporary table
// that the statement reads.
type client struct {
	cfg     *Config
	http    *http.Client
	servers []*server
	turn    atomic.Uint32
	// engine is the version of the servers; the oldest until it is known.
	engine engine
	// read and insert are the settings of all statements that read and of all inserts.
	read, insert settings
}

// An engine is the version of the servers, which decides what they support.
type engine struct{ major int }

// modern reports whether the engine has column codecs, table settings and the newer statement
// settings. Version 18.16, which distributions still ship, lacks them.
func (e engine) modern() bool { return e.major >= 21 }

// settings returns the settings for statements that read and for inserts. replicas is the
// number of replicas per shard, 0 without a cluster.
func (e engine) settings(replicas int) (read, insert settings) {
	read, insert = settings{}, settings{}
	if e.modern() {
		insert["async_insert"] = "0" // acknowledged when it is done, and not before
		insert["max_partitions_per_insert_block"] = "0"
		read["cancel_http_readonly_queries_on_client_close"] = "1"
	}
	if e.major < 23 {
		// Each column is read through a buffer of so much, of 1 MB by default: six of
		// them don't stay in a processor's cache. Of 64, 128 and 256 KB all did; newer
		// ones read local disks through 128 by default.
		read["max_read_buffer_size"] = "131072"
	}
	if replicas > 0 {
		quorum := replicas/2 + 1
		insert["insert_distributed_sync"] = "1"
		insert["insert_quorum"] = strconv.Itoa(quorum)
		insert["insert_quorum_timeout"] = "30000" // ms
		// A block that comes again counts once anyway, and the engine would take
		// it for known though it had been dropped meanwhile.
		insert["insert_deduplicate"] = "0"
		// What was acknowledged has to be in what is read next, and what was read
		// once in what is read later, whichever replicas are asked.
		read["select_sequential_consistency"] = "1"
		if e.modern() {
			insert["insert_quorum_parallel"] = "0" // which that needs
		}
	}
	return read, insert
}

// A server is one of the configured addresses.
type server struct {
	address string
	rest    atomic.Int64 // until then, in ns since 1970, others are tried first
}

// restFor is how long a server that could not be reached is tried last.
const restFor = 5 * time.Second

// connectTimeout limits the time to connect. Otherwise, a server that hangs would block a
// request forever.
const connectTimeout = 30 * time.Second

func newClient(cfg *Config) *client {
	c := &client{cfg: cfg, http: &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: cfg.TLS,
		MaxIdleConnsPerHost: 32, IdleConnTimeout: 2 * time.Second, // servers close theirs after 3
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: connectTimeout, ResponseHeaderTimeout: cfg.Timeout,
	}}}
	for _, a := range cfg.Addresses {
		c.servers = append(c.servers, &server{address: a})
	}
	return c
}

// clone returns a copy of c that uses the same connections.
func (c *client) clone() *client {
	return &client{cfg: c.cfg, http: c.http, servers: c.servers, engine: c.engine, read: c.read, insert: c.insert}
}

// of returns a client with the settings for an engine. replicas is the number of replicas per
// shard, 0 without a cluster.
func (c *client) of(e engine, replicas int) *client {
	out := c.clone()
	out.engine = e
	out.read, out.insert = e.settings(replicas)
	return out
}

// withDatabase returns a client whose statements use another database.
func (c *client) withDatabase(name string) *client {
	cfg := *c.cfg
	cfg.Database = name
	out := c.clone()
	out.cfg = &cfg
	return out
}

// each returns one client per server.
func (c *client) each() []*client {
	var all []*client
	for _, s := range c.servers {
		out := c.clone()
		out.servers = []*server{s}
		all = append(all, out)
	}
	return all
}

func (c *client) close() { c.http.CloseIdleConnections() }

// run executes a statement that sends no rows. Its answer may be in a format other than Native.
func (c *client) run(ctx context.Context, sql string) (*answer, error) {
	return c.exec(ctx, &statement{sql: sql})
}

// attempts is the minimum number of tries for a statement while servers return errors that may
// pass; see Error.elsewhere.
const attempts = 8

// exec executes a statement. Statements are idempotent, so if a server doesn't answer, exec
// tries the next one.
func (c *client) exec(ctx context.Context, st *statement) (*answer, error) {
	var body []byte
	if st.rows != nil {
		body = appendFrames(nil, st.rows.append(nil))
	}
	order := c.order()
	var said error // by a server that is there, which tells more than that others aren't
	for attempt := 0; ; attempt++ {
		s := order[attempt%len(order)]
		a, err := c.ask(ctx, s, st, body)
		if err == nil {
			return a, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var refused *Error
		later := errors.As(err, &refused)
		switch {
		case !later:
			s.rest.Store(time.Now().Add(restFor).UnixNano())
		case !refused.elsewhere():
			return nil, err
		default:
			said = err
		}
		if tried := attempt + 1; tried >= max(attempts, 2*len(order)) || !later && tried >= 2*len(order) {
			if said != nil && !later {
				err = fmt.Errorf("%w; the last one asked: %w", said, err)
			}
			return nil, err
		}
		if later || attempt+1 >= len(order) {
			// Old versions allow only one insert with a quorum at once. The wait is
			// random, so that nodes that insert at the same time don't collide again.
			select {
			case <-time.After(time.Duration(attempt+1)*20*time.Millisecond + rand.N(50*time.Millisecond)):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// order returns the servers, starting with the next one in turn. Servers that could not be
// reached come last.
func (c *client) order() []*server {
	first, now := int(c.turn.Add(1)), time.Now().UnixNano()
	var up, resting []*server
	for i := range c.servers {
		if s := c.servers[(first+i)%len(c.servers)]; s.rest.Load() < now {
			up = append(up, s)
		} else {
			resting = append(resting, s)
		}
	}
	return append(up, resting...)
}

// ask executes a statement on one server.
func (c *client) ask(ctx context.Context, s *server, st *statement, body []byte) (*answer, error) {
	query := url.Values{"query": {st.text()}, "database": {c.cfg.Database}}
	kind := c.read
	if st.rows != nil {
		kind = c.insert
		query.Set("decompress", "1")
		query.Set("http_native_compression_disable_checksumming_on_decompress", "1")
	} else {
		if c.engine.modern() { // 18.16 answers nothing in frames
			query.Set("compress", "1")
		}
		query.Set("default_format", "Native")
		// An error in the midst of an answer is told as one then.
		query.Set("wait_end_of_query", "1")
	}
	for _, set := range []settings{kind, st.settings} {
		for k, v := range set {
			query.Set(k, v)
		}
	}
	contentType := "application/octet-stream"
	if len(st.tables) > 0 {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		for _, t := range st.tables {
			part, _ := w.CreateFormFile(t.name, t.name) // a buffer takes everything
			part.Write(t.rows.append(nil))
			query.Set(t.name+"_structure", t.rows.structure())
			query.Set(t.name+"_format", "Native")
		}
		w.Close()
		body, contentType = form.Bytes(), w.FormDataContentType()
	}
	scheme := "http"
	if c.cfg.TLS != nil {
		scheme = "https"
	}
	u := url.URL{Scheme: scheme, Host: s.address, Path: "/", RawQuery: query.Encode()}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	if c.cfg.User != "" {
		req.SetBasicAuth(c.cfg.User, c.cfg.Password)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var ue *url.Error // it would tell the whole statement
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("%s: %w", s.address, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		return nil, newError(s.address, resp, text)
	}
	a, err := readAnswer(&stream{r: resp.Body, plain: !c.engine.modern() || st.rows != nil})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.address, err)
	}
	if err := st.check(a); err != nil {
		return nil, fmt.Errorf("%s: %w", s.address, err)
	}
	return a, nil
}
