package wire

import (
	"errors"
	"net/http"

	"connectrpc.com/connect"
)

// Unimplemented answers all calls of a service that mux has no other handler for with the
// code unimplemented and a reason, over gRPC, gRPC-Web and Connect. It doesn't read the
// requests. The name is that of a protobuf service, such as parca.query.v1alpha1.QueryService.
func Unimplemented(mux *http.ServeMux, service, why string) {
	refusals := connect.NewErrorWriter()
	mux.HandleFunc("/"+service+"/", func(w http.ResponseWriter, r *http.Request) {
		if !refusals.IsSupported(r) {
			http.Error(w, why, http.StatusNotImplemented)
			return
		}
		_ = refusals.Write(w, r, connect.NewError(connect.CodeUnimplemented, errors.New(why))) // the client is gone if this fails
	})
}
