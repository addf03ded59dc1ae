// Package cloudprofiler serves the agents of Google Cloud Profiler: the API
// that they talk to, in gRPC, gRPC-Web, Connect and REST, and a proxy for
// programs that can't be told to talk to anything but Google's server.
//
// The agents don't push. They ask what to profile, and wait for the answer as
// long as it takes: it is the server that chooses type, duration and time, and
// so spreads the profiling over a fleet. See doc/cloud-profiler.md for users.
package cloudprofiler

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// Close answers all polls that wait, and all later ones, so that their agents ask again
// after Config.RestartDelay. (An agent that finds no server stays away for a minute.)
// Uploads are still accepted. Call it when the server begins to shut down; otherwise the
// shutdown waits for the polls.
func (s *Service) Close() { s.schedule.close() }

// Stats are the counts of a Service.
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
		return nil, s.refuse(connect.CodeInvalidArgument, fmt.Errorf("unknown profile types %v", req.GetProfileType()))
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
		return nil, s.fail(&backoff{about(s.cfg.longest), fmt.Sprintf("%d profiles were requested and have not arrived yet, which is the limit", s.cfg.MaxSessions)})
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

// UpdateProfile keeps a profile that CreateProfile has asked for. Another one with the
// same name counts as the first one, sent again.
func (s *Service) UpdateProfile(ctx context.Context, req *profilerpb.UpdateProfileRequest) (*profilerpb.Profile, error) {
	p := s.sessions.complete(req.GetProfile())
	asked, err := checkName(s.cfg.Key, p)
	if err != nil {
		return nil, s.refuse(connect.CodeNotFound, err)
	}
	end := asked.Add(p.GetDuration().AsDuration())
	if late := time.Since(end); late > s.cfg.Expiry {
		return nil, s.refuse(connect.CodeNotFound, fmt.Errorf("the profile came too late: it was due by %v, %v ago", end.Add(s.cfg.Expiry).UTC().Format(time.RFC3339), (late-s.cfg.Expiry).Round(time.Second)))
	}
	if err := s.keep(ctx, p, asked); err != nil {
		return nil, err
	}
	s.sessions.remove(p.GetName())
	return withoutBytes(p), nil
}

// CreateOfflineProfile keeps a profile that CreateProfile hasn't asked for.
func (s *Service) CreateOfflineProfile(ctx context.Context, req *profilerpb.CreateOfflineProfileRequest) (*profilerpb.Profile, error) {
	p := req.GetProfile()
	if err := checkDeployment(req.GetParent(), p.GetDeployment()); err != nil {
		return nil, s.refuse(connect.CodeInvalidArgument, err)
	}
	if kinds[p.GetProfileType()] == "" {
		return nil, s.refuse(connect.CodeInvalidArgument, fmt.Errorf("unknown profile type %v", p.GetProfileType()))
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
