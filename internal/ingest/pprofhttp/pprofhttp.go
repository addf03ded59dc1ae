// Package pprofhttp implements hone's own protocol: a POST with one profile as the body,
// and what it is a profile of in the query.
//
//	POST /api/v1/profiles?service=NAME[&kind=K][&version=V][&zone=Z][&instance=I]
//	    [&label.NAME=VALUE]...[&time=T][&duration=D][&key=KEY]
//
// The body is a profile in any format that profile.Decode reads, a gzipped pprof
// as a rule. time is when the collection began, in ns since 1970 or as in RFC
// 3339, duration its length as Go writes it ("10s"); both are in the profile as
// a rule. Whoever sends a profile again gives it the key of the first time.
//
// The answer is 204, and the header Hone-Profile says "kept", or "already there" of a
// profile that was sent before; Hone-Profile-Id has its id in the store. Errors are JSON, see [wire.Refuse].
package pprofhttp

import (
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
)

// Protocol is the name of this protocol for the Receiver.
const Protocol = "pprof"

// ResultHeader tells in answers what became of a profile.
const (
	ResultHeader = "Hone-Profile"
	ResultKept   = "kept"
	ResultKnown  = "already there"

	// IDHeader has the id of the profile in the store, in hexadecimal.
	IDHeader = "Hone-Profile-Id"
)

// Mount serves the protocol at POST /api/v1/profiles.
func Mount(mux *http.ServeMux, recv ingest.Receiver) {
	mux.Handle("POST /api/v1/profiles", Handler(recv))
}

// Handler returns the protocol without its path.
func Handler(recv ingest.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		push, err := receive(w, r, recv)
		if err != nil {
			wire.Refuse(w, err, 0)
			return
		}
		w.Header().Set(ResultHeader, ResultKept)
		if push.Known {
			w.Header().Set(ResultHeader, ResultKnown)
		}
		if push.ID != (store.ID{}) {
			w.Header().Set(IDHeader, hex.EncodeToString(push.ID[:]))
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// IsPush reports whether a POST to /api/v1/profiles is of this protocol: it
// names a service. Others are uploads to look at.
func IsPush(r *http.Request) bool { return r.URL.Query().Has("service") }

func receive(w http.ResponseWriter, r *http.Request, recv ingest.Receiver) (ingest.Push, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return ingest.Push{}, ingest.Errorf(ingest.Malformed, "invalid query: %w", err)
	}
	push, err := parsePush(query)
	if err != nil {
		return ingest.Push{}, err
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return ingest.Push{}, ingest.Errorf(ingest.Malformed, "the body is a form: send the profile itself, for example with curl --data-binary @FILE")
	}
	push.Data, err = wire.Body(w, r, recv.Limits().BodyBytes)
	if err != nil {
		return ingest.Push{}, err
	}
	if len(push.Data) == 0 {
		return ingest.Push{}, ingest.Errorf(ingest.Malformed, "the body is empty: send a profile")
	}
	pushes := []ingest.Push{push}
	err = recv.Receive(r.Context(), Protocol, pushes...)
	return pushes[0], err
}

// parsePush reads the query. Names that mean nothing are refused, so that a
// slip of the pen doesn't lose a label unnoticed.
func parsePush(query url.Values) (ingest.Push, error) {
	var p ingest.Push
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		if len(values) > 1 {
			return p, ingest.Errorf(ingest.Malformed, "%.60q is given %d times", name, len(values))
		}
		value := values[0]
		var err error
		switch name {
		case store.LabelService, store.LabelVersion, store.LabelZone, store.LabelInstance:
			p.Labels = append(p.Labels, store.Label{Name: name, Value: value})
		case store.LabelKind:
			p.Kind = value
		case "key":
			p.Key = value
		case "time":
			p.Time, err = wire.Time(value)
		case "duration":
			var d time.Duration
			if d, err = time.ParseDuration(value); err == nil && d < 0 {
				return p, ingest.Errorf(ingest.Malformed, "duration: %.60q is negative", value)
			}
			p.Duration = int64(d)
		default:
			label, ok := strings.CutPrefix(name, "label.")
			if !ok {
				return p, ingest.Errorf(ingest.Malformed, "unknown parameter %.60q (known: service, kind, version, zone, instance, label.NAME, time, duration, key)", name)
			}
			if err = store.CheckName(label); err == nil && isOwn(label) {
				return p, ingest.Errorf(ingest.Malformed, "%.60q: %s is a parameter of its own", name, label)
			}
			p.Labels = append(p.Labels, store.Label{Name: label, Value: value})
		}
		if err != nil {
			return p, ingest.Errorf(ingest.Malformed, "%.60s: %w", name, err)
		}
	}
	if !slices.ContainsFunc(p.Labels, func(l store.Label) bool { return l.Name == store.LabelService && l.Value != "" }) {
		return p, ingest.Errorf(ingest.Malformed, "service is missing: give the name of the profiled program")
	}
	return p, nil
}

// isOwn reports whether a label has a parameter of its own.
func isOwn(label string) bool {
	switch label {
	case store.LabelService, store.LabelKind, store.LabelVersion, store.LabelZone, store.LabelInstance:
		return true
	}
	return false
}
