package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server/auth"
)

// SeesAll returns an error for those who are restricted to services: what is not
// of a service is not for them.
func SeesAll(ctx context.Context) error {
	if p := auth.From(ctx); p != nil && p.Services != nil {
		return &Error{Status: http.StatusForbidden, Err: fmt.Errorf("%s may see only the profiles of some services", p.Name)}
	}
	return nil
}

// MayWrite returns an error unless who sends a request may write a service.
func MayWrite(ctx context.Context, service string) *ingest.Error {
	switch p := auth.From(ctx); {
	case p == nil:
		return &ingest.Error{Reason: ingest.Unauthenticated, Err: auth.ErrNobody}
	case !p.Roles.Has(auth.Write):
		return ingest.Errorf(ingest.Denied, "%s needs the role write to send profiles", p.Name)
	case !p.Allows(service):
		return ingest.Errorf(ingest.Denied, "%w: %q", auth.ErrService, service)
	}
	return nil
}

// MayRead returns an error unless who sends a request may see a service.
func MayRead(ctx context.Context, service string) *ingest.Error {
	switch p := auth.From(ctx); {
	case p == nil:
		return &ingest.Error{Reason: ingest.Unauthenticated, Err: auth.ErrNobody}
	case !p.Roles.Has(auth.Read):
		return ingest.Errorf(ingest.Denied, "%s needs the role read to see profiles", p.Name)
	case !p.Allows(service):
		return ingest.Errorf(ingest.Denied, "%s may not see service %q", p.Name, service)
	}
	return nil
}
