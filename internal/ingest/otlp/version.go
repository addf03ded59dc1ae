package otlp

import (
	"net/http"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest/wire"
)

// versionHeader tells which version of the protocol's messages a request has, and its
// sender expects in the answer. A request without it has version 1. The protocol needs
// this while its messages may still change under the same name: a message of another
// version often decodes without an error, but means something else. See
// https://github.com/open-telemetry/opentelemetry-proto/pull/857 at revision 8c881680.
const versionHeader = "OTLP-Profiles-Development-Version"

// supportedVersion is the version of the messages that this package reads and writes.
const supportedVersion = "1"

// checkVersion returns an error unless a request has the supported version. The
// comparison of texts also refuses empty values, leading zeros, and repeated values that
// a proxy has joined with commas.
func checkVersion(h http.Header) error {
	switch versions := h.Values(versionHeader); {
	case len(versions) > 1:
		return malformed("the header %s is there %d times: send it once", versionHeader, len(versions))
	case len(versions) == 1 && versions[0] != supportedVersion:
		return malformed("unsupported %s %.40q: hone reads version %s", versionHeader, versions[0], supportedVersion)
	}
	return nil
}

// versioned refuses calls in unsupported versions before their messages are read.
func versioned(next http.Handler, options ...connect.HandlerOption) http.Handler {
	refusals := connect.NewErrorWriter(options...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := checkVersion(r.Header)
		if err == nil || !refusals.IsSupported(r) {
			next.ServeHTTP(w, r)
			return
		}
		_ = refusals.Write(w, r, wire.ConnectError(err)) // the client is gone if this fails
	})
}
