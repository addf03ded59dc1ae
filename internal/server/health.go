package server

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/auth"
)

// Operate adds the routes of a server that runs for long: its health, its
// figures, and who is logged in. ready returns why it can't do its work.
func (s *Server) Operate(ready func() error) {
	s.ready = ready
	with := func(h func(*Server, http.ResponseWriter, *http.Request) error) HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) error { return h(s, w, r) }
	}
	s.Handle("GET "+healthPath, Everyone, healthy)
	s.Handle("GET "+readyPath, Everyone, with(whetherReady))
	s.Handle("GET "+theirReadyPath, Everyone, with(whetherReady))
	s.Handle("GET /api/v1/user", Everyone, with(userHandler))
	s.Handle("GET /api/v1/sessions", auth.Read, with(listSessions))
	s.Handle("DELETE /api/v1/sessions/{id}", auth.Read, with(endSession))
	s.HandleHTTP("GET /metrics", auth.Read, metricsHandler(s.cfg.Metrics))
}

func healthy(w http.ResponseWriter, _ *http.Request) error {
	return plain(w, http.StatusOK, "ok\n")
}

func whetherReady(s *Server, w http.ResponseWriter, _ *http.Request) error {
	if err := s.Ready(); err != nil {
		return plain(w, http.StatusServiceUnavailable, asLine(err)+"\n")
	}
	return plain(w, http.StatusOK, "ready\n")
}

// asLine returns the text of an error as a line that obeys no terminal and no CI service: it may be
// what the engine of a store answered.
func asLine(err error) string {
	var b strings.Builder
	for _, r := range err.Error() {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return report.NoCommands(b.String())
}

// Ready returns why the server can't do its work.
func (s *Server) Ready() error {
	if s.ending.Load() {
		return errors.New("the server is shutting down")
	}
	return s.ready()
}

// Starting answers for a server whose store is not open yet: that the process
// lives, and to everything else why it has to wait.
func Starting() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "10")
		plain(w, http.StatusServiceUnavailable, "the server is starting: it waits for its store to open, and its log says why\n")
	})
	return mux
}

func plain(w http.ResponseWriter, status int, text string) error {
	w.Header().Set("Content-Type", TypeText)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write([]byte(text)) // an error means that the client is gone
	return nil
}
