package cloudprofiler

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/store"
)

// maxPage is the largest number of profiles in an answer. pageBytes is the size
// at which an answer ends even so, because clients of gRPC take no more than
// 4 MiB unless told otherwise.
const (
	maxPage   = 1000
	pageBytes = 3 << 20
)

// anyProject stands for the profiles of all projects, and for those that came
// without one, by another protocol.
const anyProject = "-"

// ListProfiles returns the profiles of a project, the latest first. Pages are
// cut by time, so that new profiles don't move them.
func (s *Service) ListProfiles(ctx context.Context, req *profilerpb.ListProfilesRequest) (*profilerpb.ListProfilesResponse, error) {
	project, err := checkParent(req.GetParent())
	if err != nil {
		return nil, connect.NewError(connect.CodeInvalidArgument, err)
	}
	after, err := parsePageToken(req.GetPageToken())
	if err != nil {
		return nil, connect.NewError(connect.CodeInvalidArgument, err)
	}
	size := int(req.GetPageSize())
	if size < 0 {
		return nil, connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("invalid page_size %d: it can't be negative", size))
	}
	if size == 0 || size > maxPage {
		size = maxPage
	}
	if s.store == nil {
		return nil, connect.NewError(connect.CodeUnimplemented, errors.New("this server has no store, so it can't list profiles"))
	}
	l, err := s.newLister(ctx, project)
	if err != nil {
		return nil, s.fail(err)
	}
	found, err := l.after(ctx, after, size+1)
	if err != nil {
		return nil, s.fail(err)
	}
	resp := new(profilerpb.ListProfilesResponse)
	bytes := 0
	for i, k := range found {
		if i == size || i > 0 && bytes >= pageBytes {
			resp.NextPageToken = found[i-1].pageToken()
			break
		}
		if s.cfg.MayRead(ctx, k.labels.Get(store.LabelService)) != nil {
			continue
		}
		p, err := l.read(ctx, k)
		if ctx.Err() != nil {
			return nil, s.fail(ctx.Err())
		}
		if err != nil {
			s.cfg.Log.Warn("profile not listed", "protocol", Protocol, "id", hex.EncodeToString(k.id[:]), "err", err)
			resp.SkippedProfiles++
			continue
		}
		bytes += len(p.ProfileBytes)
		resp.Profiles = append(resp.Profiles, p)
	}
	return resp, nil
}

// A listed profile is one of the store's.
type listed struct {
	time   int64
	id     store.ID
	labels store.Labels
}

// compare orders profiles as they are listed.
func (k listed) compare(other listed) int {
	return cmp.Or(cmp.Compare(other.time, k.time), slices.Compare(k.id[:], other.id[:]))
}

// A page token is the time and the ID of the last profile before the page.
func (k listed) pageToken() string {
	b := binary.BigEndian.AppendUint64(nil, uint64(k.time))
	return base64.RawURLEncoding.EncodeToString(append(b, k.id[:]...))
}

// parsePageToken returns where a page begins: after this profile.
func parsePageToken(token string) (listed, error) {
	if token == "" {
		return listed{time: math.MaxInt64}, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != 8+len(store.ID{}) {
		return listed{}, fmt.Errorf("invalid page_token %.100q: use one that ListProfiles returned", token)
	}
	return listed{time: int64(binary.BigEndian.Uint64(b)), id: store.ID(b[8:])}, nil
}

// A lister lists the profiles of a selector.
type lister struct {
	store    store.Store
	selector store.Selector
	project  string
	names    []string // of all their labels
}

func (s *Service) newLister(ctx context.Context, project string) (*lister, error) {
	l := &lister{store: s.store, project: project}
	if project != anyProject {
		l.selector = store.Selector{{Name: labelProject, Op: store.Equal, Value: project}}
	}
	labels, err := s.store.Labels(ctx, store.Query{Selector: l.selector})
	for _, v := range labels {
		l.names = append(l.names, v.Name)
	}
	return l, err
}

// after returns the n profiles, or fewer if there are no more, that come after
// one in order.
func (l *lister) after(ctx context.Context, last listed, n int) ([]listed, error) {
	var found []listed
	if last.time < math.MaxInt64 {
		same, err := l.at(ctx, last.time)
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(same, func(k listed) bool { return k.compare(last) <= 0 })
	}
	if len(found) < n && last.time > 0 {
		to := last.time
		if to == math.MaxInt64 {
			to = 0 // no end
		}
		earlier, err := l.query(ctx, store.Query{To: to, Limit: n})
		if err != nil {
			return nil, err
		}
		if len(earlier) >= n {
			// Others may be of the same time as the last one, and come before it.
			first := earlier[len(earlier)-1].time
			same, err := l.at(ctx, first)
			if err != nil {
				return nil, err
			}
			earlier = slices.DeleteFunc(earlier, func(k listed) bool { return k.time == first })
			earlier = append(earlier, same...)
		}
		found = append(found, earlier...)
	}
	return found[:min(n, len(found))], nil
}

// at returns all profiles of one time, in order.
func (l *lister) at(ctx context.Context, t int64) ([]listed, error) {
	return l.query(ctx, store.Query{From: t, To: t + 1})
}

// query returns the profiles of a time, in order.
func (l *lister) query(ctx context.Context, q store.Query) ([]listed, error) {
	q.Selector, q.By = l.selector, l.names
	series, err := l.store.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	var found []listed
	for _, s := range series {
		for _, p := range s.Points {
			found = append(found, listed{p.Time, p.ID, s.Labels})
		}
	}
	slices.SortFunc(found, listed.compare)
	return found, nil
}

var errGone = errors.New("the profile is not in the store anymore")

// read returns a profile as the API has it. Its labels are the deployment's
// where Go's agent has them there, and the profile's otherwise.
func (l *lister) read(ctx context.Context, k listed) (*profilerpb.Profile, error) {
	groups, err := l.store.Merge(ctx, store.Query{Selector: l.selector, ID: k.id, From: k.time, To: k.time + 1})
	if err != nil {
		return nil, err
	}
	if len(groups) != 1 {
		return nil, errGone
	}
	g := groups[0]
	g.Profile.TimeNanos, g.Profile.DurationNanos = k.time, g.Duration
	data, err := pprof(g.Profile)
	if err != nil {
		return nil, err
	}
	p := &profilerpb.Profile{
		ProfileType:  typeOf(k.labels.Get(store.LabelKind)),
		Deployment:   &profilerpb.Deployment{ProjectId: k.labels.Get(labelProject), Labels: map[string]string{}},
		Duration:     durationpb.New(time.Duration(g.Duration)),
		ProfileBytes: data,
		Labels:       map[string]string{},
		StartTime:    timestamppb.New(time.Unix(0, k.time)),
	}
	p.Name = "projects/" + cmp.Or(p.Deployment.ProjectId, l.project) + "/profiles/" + hex.EncodeToString(k.id[:])
	for _, v := range k.labels {
		switch v.Name {
		case labelProject:
		case store.LabelService:
			p.Deployment.Target = v.Value
		case store.LabelVersion, store.LabelZone, labelLanguage:
			p.Deployment.Labels[v.Name] = v.Value
		case store.LabelKind:
			if p.ProfileType == profilerpb.ProfileType_PROFILE_TYPE_UNSPECIFIED {
				p.Labels[v.Name] = v.Value // which the API has no type for
			}
		default:
			p.Labels[v.Name] = v.Value
		}
	}
	return p, nil
}
