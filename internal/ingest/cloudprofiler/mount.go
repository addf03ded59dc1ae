package cloudprofiler

import (
	"net/http"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
	"github.com/hone-go/hone/internal/ingest/wire"
)

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
