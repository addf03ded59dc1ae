// Package cloudprofiler serves the agents of Google Cloud Profiler: the API
// that they talk to, in gRPC, gRPC-Web, Connect and REST, and a proxy for
// programs that can't be told to talk to anything but Google's server.
//
// The agents don't push. They ask what to profile, and wait for the answer as
// long as it takes: it is the server that chooses type, duration and time, and
// so spreads the profiling over a fleet. See doc/cloud-profiler.md for users.
package cloudprofiler

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
)

// Protocol is the name of the protocol in counters and logs.
const Protocol = "cloudprofiler"

// Config says how agents are served. The zero value is complete.
type Config struct {
	// Key is a secret of KeySize bytes; see LoadKey. Agents that were asked for
	// a profile before the server was started again can send it if the key is
	// still the same. Without a key there is a new one.
	Key []byte

	// The Schedule is of all kinds of profiles, Kinds of single ones in hone's
	// words, in which 0 is what Schedule says.
	Schedule
	Kinds map[string]Schedule

	MaxPoll               time.Duration // how long a poll waits until its agent has to ask again; default 10 minutes
	MaxDeployments        int           // default 10,000
	MaxPolls              int           // that wait at a time; default 20,000
	MaxPollsPerDeployment int           // default 1,000
	MaxSessions           int           // profiles that were asked for and can still come; default 100,000
	Expiry                time.Duration // how long after its end a profile may come; default 1 hour
	RestartDelay          time.Duration // how long agents stay away, about, when the server ends; default 8 s

	// MayWrite and MayRead return an error of type *ingest.Error if the sender
	// of a request may not write or read a service. Without them all may.
	MayWrite, MayRead func(ctx context.Context, service string) error

	Log *slog.Logger // default slog.Default()

	longest time.Duration // of the intervals, with the profile
}

// A Schedule is the rhythm of profiles of one kind in a deployment, which is a
// service in one version and zone.
type Schedule struct {
	Interval time.Duration // from one profile to the next, whichever instance it is of; default 1 minute, negative for never
	Duration time.Duration // of one profile, of the kinds that have one; default 10 s
}

// MinInterval is the least time between two profiles: agents ask again as soon
// as they have sent one.
const MinInterval = 10 * time.Millisecond

// Check returns why there can be no Service with a configuration.
func (c Config) Check() error {
	_, err := c.withDefaults()
	return err
}

// DefaultConfig returns what a server's configuration can change, as it is where
// zeros stand.
func DefaultConfig() Config {
	return Config{Schedule: Schedule{Interval: time.Minute, Duration: 10 * time.Second}, MaxPoll: 10 * time.Minute}
}

func (c Config) withDefaults() (Config, error) {
	if len(c.Key) == 0 {
		c.Key = make([]byte, KeySize)
		rand.Read(c.Key)
	}
	if len(c.Key) != KeySize {
		return c, fmt.Errorf("the key of names of profiles has %d bytes instead of %d", len(c.Key), KeySize)
	}
	d := DefaultConfig()
	c.Interval = cmp.Or(c.Interval, d.Interval)
	c.Duration = cmp.Or(c.Duration, d.Duration)
	c.MaxPoll = cmp.Or(c.MaxPoll, d.MaxPoll)
	c.MaxDeployments = cmp.Or(c.MaxDeployments, 10_000)
	c.MaxPolls = cmp.Or(c.MaxPolls, 20_000)
	c.MaxPollsPerDeployment = cmp.Or(c.MaxPollsPerDeployment, 1000)
	c.MaxSessions = cmp.Or(c.MaxSessions, 100_000)
	c.Expiry = cmp.Or(c.Expiry, time.Hour)
	c.RestartDelay = cmp.Or(c.RestartDelay, 8*time.Second)
	c.Log = cmp.Or(c.Log, slog.Default())
	everyone := func(context.Context, string) error { return nil }
	if c.MayWrite == nil {
		c.MayWrite = everyone
	}
	if c.MayRead == nil {
		c.MayRead = everyone
	}
	known := map[string]bool{}
	for t, kind := range kinds {
		known[kind] = true
		s := c.schedule(t)
		if s.Interval >= 0 && s.Interval < MinInterval {
			return c, fmt.Errorf("the interval of %s profiles is %v, less than %v", kind, s.Interval, MinInterval)
		}
		if s.Duration < 0 || s.Duration > 10*time.Minute {
			return c, fmt.Errorf("the duration of %s profiles is %v instead of 0 to 10m", kind, s.Duration)
		}
		c.longest = max(c.longest, s.Interval+s.Duration)
	}
	for kind := range c.Kinds {
		if !known[kind] {
			return c, fmt.Errorf("there are no profiles of kind %q in Cloud Profiler", kind)
		}
	}
	if c.MaxPoll < MinInterval {
		return c, fmt.Errorf("requests of agents wait for at most %v, less than %v", c.MaxPoll, MinInterval)
	}
	for name, n := range map[string]int64{"MaxDeployments": int64(c.MaxDeployments), "MaxPolls": int64(c.MaxPolls),
		"MaxPollsPerDeployment": int64(c.MaxPollsPerDeployment), "MaxSessions": int64(c.MaxSessions), "Expiry": int64(c.Expiry), "RestartDelay": int64(c.RestartDelay)} {
		if n < 0 {
			return c, fmt.Errorf("%s is %d, less than 0", name, n)
		}
	}
	return c, nil
}

// instant are the types that are of a moment.
var instant = map[profileType]bool{
	profilerpb.ProfileType_HEAP:      true,
	profilerpb.ProfileType_THREADS:   true,
	profilerpb.ProfileType_PEAK_HEAP: true,
}

func (c *Config) schedule(t profileType) Schedule {
	s := c.Kinds[kinds[t]]
	s.Interval = cmp.Or(s.Interval, c.Interval)
	s.Duration = cmp.Or(s.Duration, c.Duration)
	if instant[t] {
		s.Duration = 0
	}
	return s
}

// A Service serves agents. Its methods may be called from several goroutines.
type Service struct {
	recv     ingest.Receiver
	store    store.Store
	cfg      Config
	schedule *scheduler
	sessions sessions

	kept, refused atomic.Int64
}

// New returns a service that hands profiles to recv and lists those of st.
// Without st it lists none.
func New(recv ingest.Receiver, st store.Store, cfg Config) (*Service, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Service{recv: recv, store: st, cfg: cfg}
	s.schedule = newScheduler(&s.cfg)
	s.sessions.max = cfg.MaxSessions
	return s, nil
}

// Mount adds the service to a mux. Who may use it, and which token in
// "authorization" or "x-goog-api-key" says so, is for a handler before the mux
// to decide. Polls hang for minutes: no such handler and no proxy should end
// them earlier. The server's timeouts of reading and writing are lifted for them.
func (s *Service) Mount(mux *http.ServeMux) {
	options := connect.WithConditionalHandlerOptions(func(spec connect.Spec) []connect.HandlerOption {
		limits := s.recv.Limits()
		switch spec.Procedure {
		case profilerpb.ProfilerServiceCreateProfileProcedure, profilerpb.ExportServiceListProfilesProcedure:
			limits.BodyBytes = pollBytes
		}
		return append(wire.Options(limits, 0), connect.WithCodec(codec{}))
	})
	path, handler := profilerpb.NewProfilerServiceHandler(s, options)
	mux.Handle(path, patient(handler))
	mux.Handle(profilerpb.NewExportServiceHandler(s, options))
	s.mountREST(mux)
}

// pollBytes limits requests without a profile. There are many of them at a time.
const pollBytes = 64 << 10

// patient lets requests of a handler wait; see patience.
func patient(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), patienceKey{}, http.NewResponseController(w))
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

type patienceKey struct{}

// patience lifts the server's deadlines of a request that has been read.
func patience(ctx context.Context) {
	if c, ok := ctx.Value(patienceKey{}).(*http.ResponseController); ok {
		// Where this isn't supported there are none.
		_ = c.SetReadDeadline(time.Time{})
		_ = c.SetWriteDeadline(time.Time{})
	}
}

// Close answers all polls that wait, and those to come: their agents ask again
// after Config.RestartDelay. (An agent that finds no server stays away for a
// minute.) Uploads are still taken. It is to be called when the server begins to
// shut down, or else that has to wait for the polls.
func (s *Service) Close() { s.schedule.close() }

// Stats are figures of a service.
type Stats struct {
	Deployments int   // that agents were seen of lately
	Polls       int   // agents that wait to be asked for a profile
	Sessions    int   // profiles that were asked for and have not come yet
	Kept        int64 // profiles since the start
	Refused     int64 // profiles since the start
	Missing     int64 // profiles since the start that were asked for and never came
}

// Stats returns figures as of now.
func (s *Service) Stats() Stats {
	st := Stats{Kept: s.kept.Load(), Refused: s.refused.Load()}
	st.Deployments, st.Polls = s.schedule.counts()
	st.Sessions, st.Missing = s.sessions.counts(time.Now())
	return st
}

// CreateProfile waits until a profile is due and asks for it.
func (s *Service) CreateProfile(ctx context.Context, req *profilerpb.CreateProfileRequest) (*profilerpb.Profile, error) {
	d := req.GetDeployment()
	if err := checkDeployment(req.GetParent(), d); err != nil {
		return nil, s.refuse(connect.CodeInvalidArgument, err)
	}
	types := knownTypes(req.GetProfileType())
	if len(types) == 0 {
		return nil, s.refuse(connect.CodeInvalidArgument, fmt.Errorf("none of the profile types %v is known", req.GetProfileType()))
	}
	if err := s.cfg.MayWrite(ctx, d.GetTarget()); err != nil {
		return nil, s.fail(err)
	}
	types = s.wanted(types)
	if len(types) == 0 {
		return nil, s.fail(&backoff{about(s.cfg.MaxPoll), "profiles of these types are turned off"})
	}
	patience(ctx)
	t, err := s.schedule.next(ctx, deploymentKey(d), types)
	if err != nil {
		return nil, s.fail(err)
	}
	now := time.Now()
	p := &profilerpb.Profile{ProfileType: t, Deployment: d, Duration: durationpb.New(s.cfg.schedule(t).Duration)}
	p.Name = newName(s.cfg.Key, p, now)
	if !s.sessions.add(p, now) {
		return nil, s.fail(&backoff{about(s.cfg.longest), fmt.Sprintf("%d profiles were asked for and have not come, as many as may be", s.cfg.MaxSessions)})
	}
	return p, nil
}

// wanted returns the types that are profiled at all.
func (s *Service) wanted(types []profileType) []profileType {
	var wanted []profileType
	for _, t := range types {
		if s.cfg.schedule(t).Interval > 0 {
			wanted = append(wanted, t)
		}
	}
	return wanted
}

// UpdateProfile keeps a profile that CreateProfile has asked for. A second one
// of the same name is taken for the first, sent again.
func (s *Service) UpdateProfile(ctx context.Context, req *profilerpb.UpdateProfileRequest) (*profilerpb.Profile, error) {
	p := s.sessions.complete(req.GetProfile())
	asked, err := checkName(s.cfg.Key, p)
	if err != nil {
		return nil, s.refuse(connect.CodeNotFound, err)
	}
	end := asked.Add(p.GetDuration().AsDuration())
	if late := time.Since(end); late > s.cfg.Expiry {
		return nil, s.refuse(connect.CodeNotFound, fmt.Errorf("the profile was to come until %v, which is %v ago", end.Add(s.cfg.Expiry).UTC().Format(time.RFC3339), (late-s.cfg.Expiry).Round(time.Second)))
	}
	if err := s.keep(ctx, p, asked); err != nil {
		return nil, err
	}
	s.sessions.remove(p.GetName())
	return withoutBytes(p), nil
}

// CreateOfflineProfile keeps a profile that nobody has asked for.
func (s *Service) CreateOfflineProfile(ctx context.Context, req *profilerpb.CreateOfflineProfileRequest) (*profilerpb.Profile, error) {
	p := req.GetProfile()
	if err := checkDeployment(req.GetParent(), p.GetDeployment()); err != nil {
		return nil, s.refuse(connect.CodeInvalidArgument, err)
	}
	if kinds[p.GetProfileType()] == "" {
		return nil, s.refuse(connect.CodeInvalidArgument, fmt.Errorf("the profile type %v is not known", p.GetProfileType()))
	}
	p.Name = newName(s.cfg.Key, p, time.Now())
	if err := s.keep(ctx, p, time.Time{}); err != nil {
		return nil, err
	}
	return withoutBytes(p), nil
}

// keep hands a profile on.
func (s *Service) keep(ctx context.Context, p *profilerpb.Profile, asked time.Time) error {
	if err := checkLabels("profile", p.GetLabels()); err != nil {
		return s.refuse(connect.CodeInvalidArgument, err)
	}
	if err := s.cfg.MayWrite(ctx, p.GetDeployment().GetTarget()); err != nil {
		s.refused.Add(1)
		return s.fail(err)
	}
	if len(p.GetProfileBytes()) == 0 {
		return s.refuse(connect.CodeInvalidArgument, fmt.Errorf("profile_bytes of %s is empty", p.GetName()))
	}
	// All of it is here: that the agent ends now is no reason to lose it.
	if err := s.recv.Receive(context.WithoutCancel(ctx), Protocol, push(p, asked)); err != nil {
		s.refused.Add(1)
		s.cfg.Log.Warn("profile refused", "protocol", Protocol, "service", p.GetDeployment().GetTarget(), "type", p.GetProfileType().String(), "err", err)
		return s.fail(err)
	}
	s.kept.Add(1)
	return nil
}

// withoutBytes returns what an upload is answered with: the profile's bytes
// are of no use to who has sent them.
func withoutBytes(p *profilerpb.Profile) *profilerpb.Profile {
	return &profilerpb.Profile{Name: p.Name, ProfileType: p.ProfileType, Deployment: p.Deployment,
		Duration: p.Duration, Labels: maps.Clone(p.Labels), StartTime: p.StartTime}
}

// refuse returns the error of a request that makes no sense.
func (s *Service) refuse(code connect.Code, err error) error {
	s.refused.Add(1)
	s.cfg.Log.Warn("request refused", "protocol", Protocol, "err", err)
	return connect.NewError(code, err)
}

// fail turns an error into one of gRPC. Agents look for the time to ask again
// in the trailer alone, other clients in the details.
func (s *Service) fail(err error) error {
	var away *backoff
	if errors.As(err, &away) {
		return withRetry(connect.NewError(connect.CodeAborted, err), away.after)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, err)
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, err)
	}
	e := wire.ConnectError(err)
	if after := wire.Error(err).RetryAfter; after > 0 {
		return withRetry(e, after)
	}
	return e
}

// retryTrailer is where agents read google.rpc.RetryInfo.
const retryTrailer = "google.rpc.retryinfo-bin"

func withRetry(e *connect.Error, after time.Duration) error {
	info := wire.RetryInfo(after)
	e.Meta().Set(retryTrailer, connect.EncodeBinaryHeader(info.GetValue()))
	if len(e.Details()) == 0 {
		if detail, err := connect.NewErrorDetail(info); err == nil {
			e.AddDetail(detail)
		}
	}
	return e
}
