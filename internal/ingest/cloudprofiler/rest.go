package cloudprofiler

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/ingest/wire"
)

// mountREST adds the API as JSON over HTTP, the way of the agents for Python
// and Node. Fields of the path win over those of the body.
func (s *Service) mountREST(mux *http.ServeMux) {
	uploadBytes := s.recv.Limits().BodyBytes/3*4 + pollBytes // profiles are in base64
	parent := func(r *http.Request) string { return "projects/" + r.PathValue("project") }
	mux.Handle("POST /v2/projects/{project}/profiles", patient(s.rest(func(w http.ResponseWriter, r *http.Request) (proto.Message, error) {
		req := new(profilerpb.CreateProfileRequest)
		if err := s.readJSON(w, r, pollBytes, req); err != nil {
			return nil, err
		}
		req.Parent = parent(r)
		return s.CreateProfile(r.Context(), req)
	})))
	mux.Handle("POST /v2/projects/{project}/profiles:createOffline", s.rest(func(w http.ResponseWriter, r *http.Request) (proto.Message, error) {
		req := &profilerpb.CreateOfflineProfileRequest{Parent: parent(r), Profile: new(profilerpb.Profile)}
		if err := s.readJSON(w, r, uploadBytes, req.Profile); err != nil {
			return nil, err
		}
		return s.CreateOfflineProfile(r.Context(), req)
	}))
	mux.Handle("PATCH /v2/projects/{project}/profiles/{id}", s.rest(func(w http.ResponseWriter, r *http.Request) (proto.Message, error) {
		req := &profilerpb.UpdateProfileRequest{Profile: new(profilerpb.Profile)}
		if err := s.readJSON(w, r, uploadBytes, req.Profile); err != nil {
			return nil, err
		}
		req.Profile.Name = parent(r) + "/profiles/" + r.PathValue("id")
		return s.UpdateProfile(r.Context(), req)
	}))
	mux.Handle("GET /v2/projects/{project}/profiles", s.rest(func(w http.ResponseWriter, r *http.Request) (proto.Message, error) {
		q := r.URL.Query()
		for name := range q {
			if !slices.Contains([]string{"pageToken", "page_token", "pageSize", "page_size", "key", "alt", "prettyPrint", "$alt", "quotaUser"}, name) {
				return nil, connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("unknown parameter %.50q (known: pageSize, pageToken)", name))
			}
		}
		req := &profilerpb.ListProfilesRequest{Parent: parent(r), PageToken: firstValue(q["pageToken"], q["page_token"])}
		if text := firstValue(q["pageSize"], q["page_size"]); text != "" {
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil {
				return nil, connect.NewError(connect.CodeInvalidArgument, fmt.Errorf("invalid pageSize %.50q: use a number", text))
			}
			req.PageSize = int32(n)
		}
		return s.ListProfiles(r.Context(), req)
	}))
}

// firstValue returns the first value of the first list that has one, or "".
func firstValue(values ...[]string) string {
	for _, v := range values {
		if len(v) > 0 {
			return v[0]
		}
	}
	return ""
}

// rest serves what a function answers to a request.
func (s *Service) rest(answer func(w http.ResponseWriter, r *http.Request) (proto.Message, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, err := answer(w, r)
		if err != nil {
			writeError(w, err)
			return
		}
		body, err := protojson.Marshal(m)
		if err != nil {
			writeError(w, connect.NewError(connect.CodeInternal, err))
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(body)
	})
}

// readJSON reads the body of a request of at most limit bytes. Errors are of
// type *connect.Error.
func (s *Service) readJSON(w http.ResponseWriter, r *http.Request, limit int64, m proto.Message) error {
	if err := wire.ReadJSON(w, r, limit, m, wire.Objects(s.recv.Limits())); err != nil {
		s.refused.Add(1)
		return s.fail(err)
	}
	return nil
}

// httpStatus are the statuses of HTTP that Google's APIs have for those of gRPC
// that this one uses.
var httpStatus = map[connect.Code]int{
	connect.CodeInvalidArgument:   http.StatusBadRequest,
	connect.CodeNotFound:          http.StatusNotFound,
	connect.CodeAborted:           http.StatusConflict,
	connect.CodeResourceExhausted: http.StatusTooManyRequests,
	connect.CodeUnauthenticated:   http.StatusUnauthorized,
	connect.CodePermissionDenied:  http.StatusForbidden,
	connect.CodeUnimplemented:     http.StatusNotImplemented,
	connect.CodeUnavailable:       http.StatusServiceUnavailable,
	connect.CodeDeadlineExceeded:  http.StatusGatewayTimeout,
	connect.CodeCanceled:          499,
}

// writeError answers with an error in the form of Google's APIs, in which
// agents look for retryDelay.
func writeError(w http.ResponseWriter, err error) {
	code, message := connect.CodeOf(err), err.Error()
	if e := (*connect.Error)(nil); errors.As(err, &e) {
		message = e.Message()
	}
	status := httpStatus[code]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	var refused *ingest.Error
	if errors.As(err, &refused) {
		status = refused.Reason.HTTP()
	}
	type detail struct {
		Type       string `json:"@type"`
		RetryDelay string `json:"retryDelay"`
	}
	type body struct {
		Code    int      `json:"code"`
		Message string   `json:"message"`
		Status  string   `json:"status"`
		Details []detail `json:"details,omitempty"`
	}
	b := body{Code: status, Message: message, Status: strings.ToUpper(code.String())}
	if after := retryAfter(err); after > 0 {
		text, _ := protojson.Marshal(durationpb.New(after))
		b.Details = []detail{{"type.googleapis.com/google.rpc.RetryInfo", strings.Trim(string(text), `"`)}}
		w.Header().Set("Retry-After", strconv.Itoa(int((after+time.Second-1)/time.Second)))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]body{"error": b})
}

// retryAfter returns when the sender of a request may try again, 0 for unknown.
func retryAfter(err error) time.Duration {
	if away := (*backoff)(nil); errors.As(err, &away) {
		return away.after
	}
	if refused := (*ingest.Error)(nil); errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}
