// Package lsptest is a client of the Language Server Protocol for tests. It knows nothing of how the server reads and writes messages.
package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A Message is what a server sent.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// An Error is one that a server answered.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// A Client talks to a server. It answers the server's requests with Answer, or null.
type Client struct {
	Answer func(method string, params json.RawMessage) any

	t      testing.TB
	out    io.WriteCloser
	mu     sync.Mutex
	next   int
	got    []Message
	ended  bool
	signal chan struct{} // closed and replaced when something has arrived
}

// New returns a client that reads what a server writes, and writes what it reads.
func New(t testing.TB, in io.Reader, out io.WriteCloser) *Client {
	c := &Client{t: t, out: out, signal: make(chan struct{})}
	go c.read(bufio.NewReader(in))
	return c
}

func (c *Client) read(in *bufio.Reader) {
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		var m Message
		if err == nil {
			n, _ := strconv.Atoi(header.Get("Content-Length"))
			body := make([]byte, n)
			if _, err = io.ReadFull(in, body); err == nil {
				err = json.Unmarshal(body, &m)
			}
		}
		if err == nil && m.Method != "" && m.ID != nil {
			var answer any
			if c.Answer != nil {
				answer = c.Answer(m.Method, m.Params)
			}
			c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": answer})
		}
		c.mu.Lock()
		if err == nil {
			c.got = append(c.got, m)
		} else {
			c.ended = true
		}
		close(c.signal)
		c.signal = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (c *Client) send(v any) {
	body, err := json.Marshal(v)
	if err != nil {
		c.t.Error(err)
		return
	}
	c.Raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

// Raw sends bytes as they are.
func (c *Client) Raw(text string) {
	if _, err := io.WriteString(c.out, text); err != nil {
		c.t.Logf("the server is gone: %v", err)
	}
}

// Close ends what the server reads.
func (c *Client) Close() { c.out.Close() }

// Notify sends a notification.
func (c *Client) Notify(method string, params any) {
	c.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// Start sends a request and returns its ID.
func (c *Client) Start(method string, params any) int {
	c.mu.Lock()
	c.next++
	id := c.next
	c.mu.Unlock()
	c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id
}

// Finish waits for the answer to a request.
func (c *Client) Finish(id int, result any) error {
	c.t.Helper()
	m := c.Wait(fmt.Sprintf("an answer to request %d", id), func(m *Message) bool { return m.Method == "" && string(m.ID) == strconv.Itoa(id) })
	if m.Error != nil {
		return m.Error
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

// Try sends a request and waits for the answer.
func (c *Client) Try(method string, params, result any) error {
	c.t.Helper()
	return c.Finish(c.Start(method, params), result)
}

// Call is Try that must succeed.
func (c *Client) Call(method string, params, result any) {
	c.t.Helper()
	if err := c.Try(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// Wait waits for the first message that is something, and removes it. It fails the test after a minute.
func (c *Client) Wait(what string, is func(*Message) bool) *Message {
	c.t.Helper()
	timeout := time.After(time.Minute)
	for {
		c.mu.Lock()
		for i := range c.got {
			if is(&c.got[i]) {
				m := c.got[i]
				c.got = append(c.got[:i:i], c.got[i+1:]...)
				c.mu.Unlock()
				return &m
			}
		}
		ended, signal := c.ended, c.signal
		c.mu.Unlock()
		if ended {
			c.t.Fatalf("the server ended without %s", what)
		}
		select {
		case <-signal:
		case <-timeout:
			c.t.Fatalf("not within a minute: %s", what)
		}
	}
}

// Notified waits for a notification or request of the server.
func (c *Client) Notified(method string, params any) {
	c.t.Helper()
	m := c.Wait(method, func(m *Message) bool { return m.Method == method })
	if params != nil {
		if err := json.Unmarshal(m.Params, params); err != nil {
			c.t.Fatalf("%s: %v in %s", method, err, m.Params)
		}
	}
}
