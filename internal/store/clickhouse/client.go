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
	"strings"
	"sync/atomic"
	"time"
)

// A client sends statements to the servers of a cluster, over HTTP.
//
// A statement is a constant of this package with numbers in it. Whatever comes
// from a profile or a question goes along as a block of the Native format: rows
// to insert, or a temporary table that the statement reads.
type client struct {
	cfg     *Config
	http    *http.Client
	servers []*server
	turn    atomic.Uint32
	// read and insert are settings of all statements of the kind.
	read, insert settings
	// frames tells that answers can be asked for in frames: 18.16 answers nothing then.
	frames bool
}

type settings map[string]string

// A server is one of the addresses.
type server struct {
	address string
	rest    atomic.Int64 // time in ns since 1970 until when others are asked first
}

// restFor is how long a server that could not be reached is asked last.
const restFor = 5 * time.Second

// connectTimeout bounds how long a server may take to accept a connection: one that hangs
// would keep a request, and what waits for it, forever.
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

// each returns a client for each server alone.
func (c *client) each() []*client {
	var out []*client
	for _, s := range c.servers {
		out = append(out, &client{cfg: c.cfg, http: c.http, servers: []*server{s}, read: c.read, insert: c.insert, frames: c.frames})
	}
	return out
}

func (c *client) close() { c.http.CloseIdleConnections() }

// A statement is sent with its data.
type statement struct {
	out      []output // what a question asks for; nil for other statements
	distinct bool     // equal rows of the answer are left out
	sql      string   // what follows out, or the whole statement
	settings settings
	rows     block       // of an insert
	tables   []tempTable // what the statement reads beside the store's tables
}

// An output is a column of an answer: its name, and the expression for it, "" for the column
// that a table has under the name. A name other than that is of no column of the table:
// 18.16 takes it for the expression wherever it occurs in the statement.
type output struct{ name, is string }

// outputs returns the columns of an answer that are those of a table.
func outputs(names ...string) []output {
	out := make([]output, len(names))
	for i, name := range names {
		out[i].name = name
	}
	return out
}

// text returns the statement as the engine reads it.
func (st *statement) text() string {
	if st.out == nil {
		return st.sql
	}
	list := make([]string, len(st.out))
	for i, o := range st.out {
		if list[i] = o.name; o.is != "" {
			list[i] = o.is + " AS " + o.name
		}
	}
	word := "SELECT "
	if st.distinct {
		word += "DISTINCT "
	}
	return word + strings.Join(list, ", ") + " " + st.sql
}

// insertInto returns the statement that inserts rows into a table.
func insertInto(table string, rows block) *statement {
	return &statement{sql: "INSERT INTO " + table + " (" + rows.names() + ") FORMAT Native", rows: rows}
}

// A tempTable goes with a statement and is gone after it.
type tempTable struct {
	name string
	rows block
}

// attempts is how often a statement is tried at least, as long as a server says that
// it may work later.
const attempts = 8

// exec runs a statement. All may be run twice, so whichever server doesn't answer is
// followed by the next.
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
			// Two nodes that insert at a time get into each other's way in old
			// versions, which know one quorum at a time; so the wait is a random one.
			select {
			case <-time.After(time.Duration(attempt+1)*20*time.Millisecond + rand.N(50*time.Millisecond)):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// order returns the servers in turns, but those last that rest.
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

// ask runs a statement on a server.
func (c *client) ask(ctx context.Context, s *server, st *statement, body []byte) (*answer, error) {
	query := url.Values{"query": {st.text()}, "database": {c.cfg.Database}}
	kind := c.read
	if st.rows != nil {
		kind = c.insert
		query.Set("decompress", "1")
		query.Set("http_native_compression_disable_checksumming_on_decompress", "1")
	} else {
		if c.frames {
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
	a, err := readAnswer(&stream{r: resp.Body, plain: !c.frames || st.rows != nil})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.address, err)
	}
	if err := a.has(st.out); err != nil {
		return nil, fmt.Errorf("%s: %w", s.address, err)
	}
	return a, nil
}
