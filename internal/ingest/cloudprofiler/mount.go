package cloudprofiler

import (
	"net/http"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/ingest/wire"
)

// Mount adds the service to a mux. A handler around the mux decides who may use it, by
// the token in "authorization" or "x-goog-api-key". Polls last for minutes: neither such a
// handler nor a proxy may end them earlier. The server's timeouts for reading and writing
// don't apply to them.
func (s *Service) Mount(mux *http.ServeMux) {
	options := connect.WithConditionalHandlerOptions(func(spec connect.Spec) []connect.HandlerOption {
		limits := s.recv.Limits()
		switch spec.Procedure {
		case profilerpb.ProfilerServiceCreateProfileProcedure, profilerpb.ExportServiceListProfilesProcedure:
			limits.BodyBytes = pollBytes
		}
		return append(wire.PushOptions(limits, 0), connect.WithCodec(codec{}))
	})
	path, handler := profilerpb.NewProfilerServiceHandler(s, options)
	mux.Handle(path, patient(handler))
	mux.Handle(profilerpb.NewExportServiceHandler(s, options))
	s.mountREST(mux)
}
