// Package loads runs load tests of a Kafka cluster on request over HTTP, for example
// from a test platform. A request says what to send and how much. The options of the
// server say to which brokers, and how.
//
//	request     requests and their errors
//	service     routes and load tests
package loads

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/kafkaload"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// keptLoads is the number of load tests that are kept, with their results.
const keptLoads = 100

// A Load is the progress or the result of a load test.
type Load struct {
	ID      string `json:"id"`
	State   string `json:"state"` // running, done, stopped, failed
	Topic   string `json:"topic"`
	Started int64  `json:"started"` // milliseconds since 1970

	SuccessCount int64    `json:"success_count"` // messages that were acknowledged
	FailCount    int64    `json:"fail_count"`
	ParseFail    []string `json:"parse_fail"` // errors of invalid bodies, which are not sent
	Elapsed      string   `json:"elapsed"`    // 17.8s
	Msg          string   `json:"msg"`        // success, or what went wrong

	// Only after the end:
	Rate     *float64            `json:"rate,omitempty"`     // messages acknowledged per second; missing if too few to tell
	Silences []load.Silence      `json:"silences,omitempty"` // times without acknowledgements
	Response *load.Quantiles     `json:"response,omitempty"`
	Failures []load.Class        `json:"failures,omitempty"`
	Delivery *kafkaload.Delivery `json:"delivery,omitempty"` // messages that arrived, if Consume is set
}

const (
	running = "running"
	done    = "done"
	stopped = "stopped"
	failed  = "failed"
)

// Service has the load tests of a server. Only one runs at once, because two would
// disturb each other.
type Service struct {
	ctx     context.Context
	srv     *server.Server
	options kafkaload.Options

	starting sync.Mutex // held while a request is read and started

	mu    sync.Mutex
	loads []*task // oldest first
	ended sync.WaitGroup
}

// A task is a load test. The service's mutex guards its fields.
type task struct {
	Load
	stop  context.CancelFunc
	began time.Time
}

// New adds the service to a server. When ctx ends, all load tests end. o has the brokers
// and options to send with.
func New(ctx context.Context, srv *server.Server, o kafkaload.Options) *Service {
	s := &Service{ctx: ctx, srv: srv, options: o}
	srv.Handle("GET /api/v1/loads", auth.Read, s.list)
	srv.Handle("GET /api/v1/loads/{id}", auth.Read, s.one)
	srv.Handle("POST /api/v1/loads", auth.Write, s.start)
	srv.Handle("POST /api/v1/loads/{id}/stop", auth.Write, s.end)
	return s
}

// Wait waits until all load tests have ended. The end of the service's context ends them.
func (s *Service) Wait() { s.ended.Wait() }

func (s *Service) list(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	s.mu.Lock()
	all := []Load{}
	for i := len(s.loads) - 1; i >= 0; i-- {
		if sees(r, s.loads[i].Topic) {
			all = append(all, s.loads[i].now())
		}
	}
	s.mu.Unlock()
	return server.WriteJSON(w, r, map[string][]Load{"loads": all})
}

func (s *Service) one(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	_, now, err := s.asked(r)
	if err != nil {
		return err
	}
	return server.WriteJSON(w, r, now)
}

// asked returns the load that a request names, and what there is of it now.
func (s *Service) asked(r *http.Request) (t *task, now Load, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t = s.find(r.PathValue("id")); t == nil || !sees(r, t.Topic) {
		return nil, now, noLoad(r)
	}
	return t, t.now(), nil
}

// sees reports whether the request's token allows a topic, as it does services.
func sees(r *http.Request, topic string) bool { return auth.From(r.Context()).Allows(topic) }

func noLoad(r *http.Request) error {
	return server.NotFound("there is no load %q: see /api/v1/loads", r.PathValue("id"))
}

// find returns a load test; nil if there is none. The caller holds the mutex.
func (s *Service) find(id string) *task {
	for _, t := range s.loads {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// now returns the current state of a load test. The caller holds the mutex.
func (t *task) now() Load {
	l := t.Load
	if l.State == running {
		l.Elapsed = time.Since(t.began).Round(time.Millisecond).String()
	}
	return l
}

// start begins a load test. It fails at once if a broker can't be reached.
func (s *Service) start(w http.ResponseWriter, r *http.Request) error {
	if !s.starting.TryLock() {
		return &server.Error{Status: http.StatusConflict, Err: errors.New("a load test is already starting; only one can run")}
	}
	defer s.starting.Unlock()
	if err := s.free(r); err != nil {
		return err
	}
	q, err := readRequest(w, r)
	if err != nil {
		return err
	}
	p, err := q.plan(s.options)
	if err != nil {
		return err
	}
	if !sees(r, q.Topic) {
		return &server.Error{Status: http.StatusForbidden, Param: "topic", Err: fmt.Errorf("%s may not send to the topic %q", auth.From(r.Context()).Name, q.Topic)}
	}
	ctx, stop := context.WithCancel(s.ctx)
	t := &task{Load: Load{ID: newID(), State: running, Topic: q.Topic, ParseFail: []string{}, Msg: running}, stop: stop, began: time.Now()}
	t.Started, t.ParseFail = t.began.UnixMilli(), append(t.ParseFail, p.parseFail...)
	sender, err := kafkaload.New(r.Context(), p.options)
	if err != nil {
		stop()
		return &server.Error{Status: http.StatusBadGateway, Err: err}
	}
	now := s.add(t)
	s.srv.Audit(r, "load.start", t.ID+" "+q.Topic, auth.OK)
	s.ended.Add(1)
	go func() {
		defer s.ended.Done()
		defer stop()
		s.run(ctx, t, p, sender)
	}()
	w.Header().Set("Location", "/api/v1/loads/"+t.ID)
	a, err := server.JSONAnswer(r.Context(), now)
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusCreated, "no-store")
}

func newID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// free returns an error while a load test runs.
func (s *Service) free(r *http.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.loads)
	if n == 0 || s.loads[n-1].State != running {
		return nil
	}
	which := "a load"
	if t := s.loads[n-1]; sees(r, t.Topic) {
		which = fmt.Sprintf("the load %s on %s", t.ID, t.Topic)
	}
	return &server.Error{Status: http.StatusConflict, Err: fmt.Errorf("%s is running; only one can run", which)}
}

// add adds a load test, and returns its current state.
func (s *Service) add(t *task) Load {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads = append(s.loads[max(0, len(s.loads)+1-keptLoads):], t)
	return t.now()
}

func (s *Service) run(ctx context.Context, t *task, p *plan, sender *kafkaload.Sender) {
	opts := load.Options{Window: func(w load.Window) string {
		s.mu.Lock()
		defer s.mu.Unlock()
		t.SuccessCount, t.FailCount = t.SuccessCount+w.Succeeded, t.FailCount+w.Failed
		return ""
	}}
	var r *load.Result
	var err error
	if p.messages > 0 {
		r, err = sender.Flood(ctx, p.messages, 0, opts)
	} else {
		var pacer load.Pacer
		if pacer, err = p.pacing.Pacer(0, p.duration); err == nil {
			r, err = load.Run(ctx, pacer, sender, opts)
		}
	}
	var delivery *kafkaload.Delivery
	if err == nil && p.options.Consume {
		delivery = sender.Delivery(ctx, r)
	}
	err = errors.Join(err, sender.Close())
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Delivery = delivery
	t.finish(r, err, ctx.Err() != nil)
}

// finish records the result of a load test. The caller holds the mutex.
func (t *task) finish(r *load.Result, err error, wasStopped bool) {
	t.State, t.Msg, t.Elapsed = done, "success", time.Since(t.began).String()
	if r != nil {
		t.SuccessCount, t.FailCount, t.Failures = r.Succeeded, r.Failed, r.Failures
		t.Rate, t.Response, t.Silences, t.Elapsed = r.Rate, &r.Response, r.Silences, r.Elapsed.String()
	}
	switch {
	case wasStopped:
		t.State, t.Msg = stopped, stopped
	case err != nil:
		t.State, t.Msg = failed, err.Error()
	case r.Void != "":
		t.State, t.Msg = failed, "void: "+r.Void
	case r.Stopped != "":
		t.State, t.Msg = failed, r.Stopped
	case len(r.Silences) > 0:
		t.State, t.Msg = failed, r.Silent()
	case r.Failed > 0:
		t.State, t.Msg = failed, fmt.Sprintf("%d of %d messages failed: %s", r.Failed, r.Requests(), r.Failures[0].Name)
	}
}

// end stops a load test. It answers before the test has ended, because messages in
// flight have a second to finish.
func (s *Service) end(w http.ResponseWriter, r *http.Request) error {
	t, now, err := s.asked(r)
	if err != nil {
		return err
	}
	t.stop()
	s.srv.Audit(r, "load.stop", t.ID+" "+now.Topic, auth.OK)
	return server.WriteJSON(w, r, now)
}
