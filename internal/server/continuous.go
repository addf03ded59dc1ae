package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/pprofhttp"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
)

// Continuous is what a server of continuous profiling is made of besides. Store
// and Receiver are needed.
type Continuous struct {
	// Store is read through auth.Scoped. The server does not close it.
	Store store.Store
	// Receiver returns what takes profiles in, and puts them into the store that
	// it is given: Store, with an eye on new versions.
	Receiver func(store.Store) ingest.Receiver
	// Protocols adds the wire protocols of agents and of other tools' queries to
	// a mux. What they read they read from the store that they are given, in the
	// context of the request. nil is hone's own protocol alone.
	Protocols func(*http.ServeMux, ingest.Receiver, store.Store) error
	// Auth tells who asks; nil lets everyone do everything.
	Auth *auth.Auth
	// MarkersFile keeps markers; "" forgets them at the end.
	MarkersFile string
	// Status tells what the server itself can't know; nil for nothing.
	Status func() Status
	// Ready returns why the server can't do its work; nil says that it always can.
	Ready func() error
	// Backup copies the store, as it is now, to a place of the name and returns
	// where that is. nil can't.
	Backup func(ctx context.Context, name string) (where string, err error)
	// Metrics has what /metrics tells, to which the server adds its own figures.
	Metrics *prometheus.Registry
	Version string
}

const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// continuous prepares what Config.Continuous asks for.
func (s *Server) continuous(ctx context.Context, mux *http.ServeMux) error {
	c := s.cfg.Continuous
	if c == nil {
		return nil
	}
	s.auth = c.Auth
	s.sending = semaphore.NewWeighted(s.limits.Sending)
	if c.Metrics == nil {
		c.Metrics = prometheus.NewRegistry()
	}
	s.metrics = newMetrics(c.Metrics, s)
	var err error
	if s.markers, err = newMarkers(ctx, c.MarkersFile, c.Store, s.cfg.Log); err != nil {
		return err
	}
	s.store = auth.Scoped(c.Store)
	s.receiver = c.Receiver(observed{c.Store, s.markers})
	s.protocols = http.NewServeMux()
	if c.Protocols != nil {
		if err := c.Protocols(s.protocols, s.receiver, s.store); err != nil {
			return err
		}
	}
	if s.auth != nil {
		s.auth.Mount(mux)
	}
	handle := func(pattern string, role auth.Roles, h handlerFunc) {
		s.handle(mux, pattern, role, s.answering(h))
	}
	handle("GET /api/v1/pprof", auth.Read, s.mergedProfile)
	handle("GET /api/v1/labels", auth.Read, s.labels)
	handle("GET /api/v1/services", auth.Read, s.services)
	handle("GET /api/v1/records", auth.Read, s.records)
	handle("GET /api/v1/series", auth.Read, s.series)
	handle("GET /api/v1/history", auth.Read, s.history)
	handle("GET /api/v1/markers", auth.Read, s.listMarkers)
	handle("POST /api/v1/markers", auth.Write, s.postMarker)
	handle("DELETE /api/v1/markers/{id}", auth.Admin, s.removeMarker)
	handle("GET /api/v1/status", auth.Read, s.status)
	handle("POST /api/v1/backup", auth.Admin, s.backup)
	handle("GET /api/v1/user", everyone, s.user)
	handle("GET "+healthPath, everyone, s.healthy)
	handle("GET "+readyPath, everyone, s.ready)
	s.handle(mux, "GET /metrics", auth.Read, s.metricsHandler())
	return nil
}

// MayWrite returns an error unless who sends a request may write a service.
func MayWrite(ctx context.Context, service string) *ingest.Error {
	switch p := auth.From(ctx); {
	case p == nil:
		return &ingest.Error{Reason: ingest.Unauthenticated, Err: auth.ErrNobody}
	case !p.Roles.Has(auth.Write):
		return ingest.Errorf(ingest.Denied, "%s needs the role write to send profiles", p.Name)
	case !p.Allows(service):
		return ingest.Errorf(ingest.Denied, "%w: %q", auth.ErrService, service)
	}
	return nil
}

// MayRead returns an error unless who sends a request may see a service.
func MayRead(ctx context.Context, service string) *ingest.Error {
	switch p := auth.From(ctx); {
	case p == nil:
		return &ingest.Error{Reason: ingest.Unauthenticated, Err: auth.ErrNobody}
	case !p.Roles.Has(auth.Read):
		return ingest.Errorf(ingest.Denied, "%s needs the role read to see profiles", p.Name)
	case !p.Allows(service):
		return ingest.Errorf(ingest.Denied, "%s may not see service %q", p.Name, service)
	}
	return nil
}

// dispatch leads agents' requests to their protocols.
func (s *Server) dispatch(mux *http.ServeMux) http.Handler {
	if s.protocols == nil {
		return mux
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := s.protocols.Handler(r); pattern != "" {
			s.protocol(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// postProfile keeps a profile in the store if it is of a service, and otherwise
// opens it to be looked at.
func (s *Server) postProfile() http.Handler {
	upload := s.needs(auth.Read, s.answering(s.uploadProfile))
	if s.cfg.Continuous == nil {
		return upload
	}
	push := s.needs(auth.Write, s.limited(pprofhttp.Handler(s.receiver)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if pprofhttp.IsPush(r) {
			push.ServeHTTP(w, r)
			return
		}
		upload.ServeHTTP(w, r)
	})
}

// params are the parameters of a request about the store.
type params struct {
	url.Values
	now time.Time
}

// newParams reads the parameters of a request, of which there may be those of
// names. repeated is the name of one that may be given several times.
func newParams(r *http.Request, names []string, repeated ...string) (*params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badParam("", "the query can't be read: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case slices.Contains(repeated, name):
		case !slices.Contains(names, name):
			return nil, badParam(name, "unknown parameter %q: there are %s", name, strings.Join(append(slices.Clone(names), repeated...), ", "))
		case len(values[name]) > 1:
			return nil, badParam(name, "%s is given %d times", name, len(values[name]))
		}
	}
	return &params{values, time.Now()}, nil
}

// selection returns what the request selects. With recent it is bounded: to is
// now and from an hour before to if they are not given.
func (p *params) selection(recent bool) (*selection, error) {
	if recent {
		if p.Get("to") == "" {
			// A profile that arrives in this moment is of now too.
			p.Set("to", strconv.FormatInt(p.now.Add(time.Second).Truncate(time.Second).UnixMilli(), 10))
		}
		if p.Get("from") == "" && p.Get("id") == "" {
			to, err := parseBound(p.Get("to"), p.now)
			if err != nil {
				return nil, badParam("to", "to: %w", err)
			}
			p.Set("from", strconv.FormatInt(max(1, milliseconds(to-int64(time.Hour))), 10))
		}
	}
	return readSelection(p.Values, p.now)
}

// number reads a number from least to most, absent if it is not given.
func (p *params) number(name string, absent, least, most int) (int, error) {
	text := p.Get(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, badParam(name, "%s is %q, not a number from %d to %d", name, text, least, most)
	}
	return n, nil
}

// by reads names of labels, with commas.
func (p *params) by() ([]string, error) {
	var names []string
	for name := range strings.SplitSeq(p.Get("by"), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if err := store.CheckName(name); err != nil {
			return nil, badParam("by", "by: %w", err)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	const most = 10
	if len(names) > most {
		return nil, badParam("by", "%d labels are more than %d", len(names), most)
	}
	return names, nil
}

// step reads the length of windows, in ns, for the time of a selection.
func (p *params) step(sel *selection, usual, most int) (int64, error) {
	points, err := p.number("points", usual, 1, most)
	if err != nil {
		return 0, err
	}
	length := time.Duration(sel.to - sel.from)
	text := p.Get("step")
	if text == "" {
		return int64(autoStep(length, points)), nil
	}
	step, err := ParseDuration(text)
	if ms, bad := strconv.ParseInt(text, 10, 64); bad == nil {
		step, err = time.Duration(ms)*time.Millisecond, nil
		if ms > int64(wholeStep/time.Millisecond) {
			step = 0
		}
	}
	if err != nil || step < time.Millisecond {
		return 0, badParam("step", "step is %q, not a length of time such as 30s, or milliseconds", text)
	}
	if int64(length/step) > int64(most) {
		return 0, badParam("step", "step is %s, which makes more than %d windows of %s", step, most, length)
	}
	return int64(step), nil
}

// mergedProfile answers the sum of a selection as a file that other tools read.
func (s *Server) mergedProfile(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, append(slices.Clone(selectionParams), "seconds"))
	if err != nil {
		return err
	}
	if seconds, err := p.number("seconds", 0, 1, 366*86400); err != nil {
		return err
	} else if seconds > 0 && p.Get("from") == "" {
		end := p.now
		if to := p.Get("to"); to != "" {
			if end, err = ParseTime(to, p.now); err != nil {
				return badParam("to", "to: %w", err)
			}
		}
		p.Set("from", strconv.FormatInt(end.Add(-time.Duration(seconds)*time.Second).UnixMilli(), 10))
	}
	sel, err := p.selection(true)
	if err != nil {
		return err
	}
	o, _, err := s.openSelection(r.Context(), sel)
	if err != nil {
		return err
	}
	a, err := cached(r.Context(), s.cache, "pprof "+o.key(), func(ctx context.Context) (*answer, int64, error) {
		merged, err := o.get(ctx)
		if err != nil {
			return nil, 0, err
		}
		q := query{format: asProto.name, kind: kindOf("proto")}
		a, err := q.written(merged.Encode)
		if err != nil {
			return nil, 0, err
		}
		return a, a.cost(), nil
	})
	if err != nil {
		return err
	}
	attach(w.Header(), o.name+".pb.gz")
	return a.write(w, r, http.StatusOK, revalidate)
}

// backupName is what backups may be called: a folder beside others.
var backupName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// backup has the store copied.
func (s *Server) backup(w http.ResponseWriter, r *http.Request) error {
	if err := seesAll(r.Context()); err != nil {
		return err
	}
	p, err := newParams(r, []string{"name"})
	if err != nil {
		return err
	}
	name := cmp.Or(p.Get("name"), p.now.UTC().Format("2006-01-02T150405"))
	if !backupName.MatchString(name) {
		return badParam("name", "name is %q: it has letters, digits, dots, _ and -", name)
	}
	if s.cfg.Continuous.Backup == nil {
		return &requestError{http.StatusUnprocessableEntity, "", errors.New("this server's store can't be copied while it is open")}
	}
	where, err := s.cfg.Continuous.Backup(r.Context(), name)
	if err != nil {
		s.audit(r, "backup", name, auth.Failed)
		if errors.Is(err, fs.ErrExist) {
			return &requestError{http.StatusConflict, "name", fmt.Errorf("there is a backup %s already", name)}
		}
		return s.storeError(err, "")
	}
	s.audit(r, "backup", name, auth.OK)
	a, err := jsonAnswer(map[string]string{"name": name, "path": where})
	if err != nil {
		return err
	}
	return a.write(w, r, http.StatusCreated, "no-store")
}

func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) error {
	return plain(w, http.StatusOK, "ok\n")
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if err := s.readyErr(); err != nil {
		return plain(w, http.StatusServiceUnavailable, err.Error()+"\n")
	}
	return plain(w, http.StatusOK, "ready\n")
}

func (s *Server) readyErr() error {
	if s.ending.Load() {
		return errors.New("the server is ending")
	}
	if ready := s.cfg.Continuous.Ready; ready != nil {
		return ready()
	}
	return nil
}

func plain(w http.ResponseWriter, status int, text string) error {
	w.Header().Set("Content-Type", typeText)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write([]byte(text)) // an error means that the client is gone
	return nil
}

// preparedServices is how many services' flame graphs are made in advance.
const preparedServices = 3

// prepareStore asks which services there are, which brings their dictionaries
// into memory, and for the latest flame graphs. The answers are of no use later,
// but a program that has just been started is read from the disk as it runs, and
// that takes longer than what it computes.
func (s *Server) prepareStore(ctx context.Context) error {
	q := (&selection{from: time.Now().Add(-24 * time.Hour).UnixNano()}).query()
	q.By, q.Step = []string{store.LabelService, store.LabelKind}, wholeStep
	series, err := s.store.Series(ctx, q)
	if err != nil {
		return err
	}
	last := func(of store.Series) int64 { return of.Points[len(of.Points)-1].Last }
	series = slices.DeleteFunc(series, func(of store.Series) bool { return of.Labels.Get(store.LabelKind) != "cpu" })
	slices.SortStableFunc(series, func(a, b store.Series) int { return cmp.Compare(last(b), last(a)) })
	for _, of := range series[:min(len(series), preparedServices)] {
		sel := selection{selector: labelSelector(of.Labels, store.LabelKind, store.LabelService), from: last(of) - int64(time.Hour), per: perSum}
		q, err := s.newQuery(ctx, kindOf("flame"), url.Values{"profile": {sel.String()}})
		if err == nil {
			_, err = s.answer(ctx, q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
