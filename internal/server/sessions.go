package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/auth"
)

// User tells who asks.
func (s *Server) User(ctx context.Context) api.User {
	u := api.User{Roles: []string{}, By: string(auth.ByNothing)}
	if p := auth.From(ctx); p != nil {
		u.Name, u.Roles, u.Services, u.By = p.Name, p.Roles.Names(), p.Services, string(p.By)
	}
	if s.cfg.Auth != nil {
		u.Login = auth.LoginPath
	}
	return u
}

func userHandler(s *Server, w http.ResponseWriter, r *http.Request) error {
	a, err := JSONAnswer(r.Context(), s.User(r.Context()))
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

// A Session is someone who is logged in, as doc/api.md describes it.
type Session struct {
	auth.Session
	Current bool `json:"current"` // of who asks
}

func listSessions(s *Server, w http.ResponseWriter, r *http.Request) error {
	list := []Session{}
	if s.cfg.Auth != nil {
		p := auth.From(r.Context())
		all, err := s.cfg.Auth.SessionsOf(p)
		if err != nil {
			return err
		}
		for _, one := range all {
			list = append(list, Session{one, one.IsOf(p)})
		}
	}
	return WriteJSON(w, r, map[string][]Session{"sessions": list})
}

func endSession(s *Server, w http.ResponseWriter, r *http.Request) error {
	var ended *auth.Session
	if s.cfg.Auth != nil {
		var err error
		if ended, err = s.cfg.Auth.EndSession(auth.From(r.Context()), r.PathValue("id")); err != nil {
			s.Audit(r, "session.end", r.PathValue("id"), auth.Failed)
			return &Error{Status: http.StatusInternalServerError, Err: fmt.Errorf("can't end the session: %w", err)}
		}
	}
	if ended == nil {
		return NotFound("unknown session %s", r.PathValue("id"))
	}
	s.Audit(r, "session.end", ended.Name, auth.OK)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// LoginErr returns why the tokens that people and programs log in with can't be
// read any more.
func (s *Server) LoginErr() error {
	if s.cfg.Auth == nil {
		return nil
	}
	return s.cfg.Auth.Tokens.Err()
}
