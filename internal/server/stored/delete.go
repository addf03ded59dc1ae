package stored

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
)

// deleteService deletes all profiles of a service, and its versions.
func (s *Service) deleteService(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, []string{"service", "dry_run"})
	if err != nil {
		return err
	}
	service := p.Get("service")
	if service == "" {
		return server.BadParam("service", "service is missing: give the service whose profiles to delete")
	}
	dry := false
	if text := p.Get("dry_run"); text != "" {
		if dry, err = strconv.ParseBool(text); err != nil {
			return server.BadParam("dry_run", "invalid dry_run %q: use true or false", text)
		}
	}
	if principal := auth.From(r.Context()); !principal.Allows(service) {
		return &server.Error{Status: http.StatusForbidden, Param: "service", Err: fmt.Errorf("%s may not delete service %q", principal.Name, service)}
	}
	of, ok := s.cfg.Store.(store.Deleter)
	if !ok {
		return &server.Error{Status: http.StatusUnprocessableEntity, Err: errors.New("this server's store can't delete a service")}
	}
	profiles, err := of.DeleteService(r.Context(), service, dry)
	if err != nil {
		if !dry {
			s.srv.Audit(r, "service.delete", service, auth.Failed)
		}
		return s.selections.storeError(err, "service")
	}
	if profiles == 0 {
		return server.NotFound("no profiles of service %q", service)
	}
	if !dry {
		s.cfg.Markers.forget(service)
		s.srv.Audit(r, "service.delete", service, auth.OK)
	}
	a, err := server.JSONAnswer(r.Context(), api.DeletedService{Service: service, Profiles: profiles, Deleted: !dry})
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

// forget drops the versions of a service. Posted markers stay.
func (m *Markers) forget(service string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.first)
	maps.DeleteFunc(m.first, func(v versionOf, _ int64) bool { return v.Service == service })
	if len(m.first) < before {
		m.write() // it logs errors; the next start reads the versions from the store
	}
}
