package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
)

// Codes of errors, by JSON-RPC and the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeFailed         = -32803
	codeCancelled      = -32800
)

// A responseError is an error that the other side gets.
type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *responseError) Error() string { return e.Message }

// failure is a responseError with a formatted message.
func failure(code int, format string, args ...any) *responseError {
	return &responseError{code, fmt.Sprintf(format, args...)}
}

// A message is a request, a notification (without an ID) or a response (without a method).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *responseError  `json:"error,omitempty"`
}

// validID reports whether an ID is a number or a string: nothing else can be answered.
func validID(id json.RawMessage) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}

// A handler answers requests and notifications. Notifications come one after the other, in their order. Requests run at the same time
// as what comes after them, unless inOrder says otherwise. A result may be nil.
type handler interface {
	handle(ctx context.Context, method string, params json.RawMessage) (result any, err error)
	inOrder(method string) bool
	// lost is told that a message was too large to read.
	lost(err error)
}

// maxRunning limits the requests that run at the same time; more wait.
const maxRunning = 16

// conn is a connection with messages in both directions.
type conn struct {
	in  *bufio.Reader
	log func(string)

	out *outbox

	mu      sync.Mutex
	next    int64
	waiting map[int64]chan *message            // our requests
	running map[string]context.CancelCauseFunc // the other side's requests, by ID
}

func newConn(in io.Reader, out io.Writer, log func(string)) *conn {
	return &conn{in: bufio.NewReaderSize(in, maxHeader), out: newOutbox(out), log: log, waiting: make(map[int64]chan *message), running: make(map[string]context.CancelCauseFunc)}
}

// errCancelled is the cause of a request that the client cancelled.
var errCancelled = errors.New("the client cancelled the request")

// serve reads messages until the input ends, then waits for the handlers that run. Before, it cancels them.
func (c *conn) serve(ctx context.Context, h handler) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer c.out.close()
	defer all.Wait()
	defer cancel()
	slots := make(chan struct{}, maxRunning)
	for {
		body, err := readMessage(c.in)
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, errTooLarge):
			h.lost(err)
			c.send(&message{ID: json.RawMessage("null"), Error: failure(codeInvalidRequest, "%v", err)})
			continue
		case err != nil:
			return err
		}
		m := new(message)
		if err := json.Unmarshal(body, m); err != nil {
			c.send(&message{ID: json.RawMessage("null"), Error: failure(codeParse, "invalid message: %v", err)})
			continue
		}
		switch {
		case m.Method == "":
			c.answered(m)
		case m.Method == "$/cancelRequest":
			c.cancel(m.Params)
		case m.ID == nil:
			if _, err := c.guarded(ctx, h, m); errors.Is(err, errExit) {
				return nil
			} else if err != nil && ctx.Err() == nil {
				c.log(fmt.Sprintf("%.100s: %v", m.Method, err))
			}
		case !validID(m.ID):
			c.send(&message{ID: json.RawMessage("null"), Error: failure(codeInvalidRequest, "invalid id %.60q: use a number or a string", m.ID)})
		default:
			c.request(ctx, h, m, slots, &all)
		}
	}
}

// errExit ends serve.
var errExit = errors.New("the client asked to exit")

// request answers a request, in this goroutine or another one.
func (c *conn) request(ctx context.Context, h handler, m *message, slots chan struct{}, all *sync.WaitGroup) {
	ctx, cancel := context.WithCancelCause(ctx)
	id := string(m.ID)
	c.mu.Lock()
	c.running[id] = cancel
	c.mu.Unlock()
	run := func() {
		result, err := c.guarded(ctx, h, m)
		c.mu.Lock()
		delete(c.running, id)
		c.mu.Unlock()
		c.answer(ctx, m.ID, result, err)
		cancel(nil)
	}
	if h.inOrder(m.Method) {
		run()
		return
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		cancel(nil)
		return
	}
	all.Go(func() {
		defer func() { <-slots }()
		run()
	})
}

// guarded has h handle a message. A bug that panics fails one request, and doesn't end the editor's server.
func (c *conn) guarded(ctx context.Context, h handler, m *message) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			c.log(fmt.Sprintf("hone lsp: %.100s: %v\n%s", m.Method, r, debug.Stack()))
			err = failure(codeInternal, "internal error: hone's log has the details")
		}
	}()
	return h.handle(ctx, m.Method, m.Params)
}

// answer sends the response to a request.
func (c *conn) answer(ctx context.Context, id json.RawMessage, result any, err error) {
	m := &message{ID: id}
	if err == nil {
		m.Result, err = json.Marshal(result)
	}
	switch known := (*responseError)(nil); {
	case err == nil:
	case errors.As(err, &known):
		m.Error = known
	case context.Cause(ctx) == errCancelled:
		m.Error = failure(codeCancelled, "cancelled")
	default:
		m.Error = failure(codeFailed, "%v", err)
	}
	c.send(m)
}

// send sends a message, without waiting for the client.
func (c *conn) send(m *message) {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		c.log("hone lsp: " + err.Error())
		return
	}
	c.out.send(body)
}

// notify sends a notification.
func (c *conn) notify(method string, params any) {
	body, err := json.Marshal(params)
	if err != nil {
		c.log("hone lsp: " + err.Error())
		return
	}
	c.send(&message{Method: method, Params: body})
}

// call sends a request and waits for the response. The caller is not a handler of a notification, which would wait for itself.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	var body json.RawMessage // without parameters, nothing
	if params != nil {
		var err error
		if body, err = json.Marshal(params); err != nil {
			return err
		}
	}
	got := make(chan *message, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.waiting[id] = got
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	c.send(&message{ID: fmt.Appendf(nil, "%d", id), Method: method, Params: body})
	select {
	case m := <-got:
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answered hands a response to the request that waits for it. Others are ignored.
func (c *conn) answered(m *message) {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := c.waiting[id]; got != nil {
		got <- m
		delete(c.waiting, id)
	}
}

// cancel cancels a request of the client, if it runs.
func (c *conn) cancel(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.running[string(bytes.TrimSpace(p.ID))]; cancel != nil {
		cancel(errCancelled)
	}
}
