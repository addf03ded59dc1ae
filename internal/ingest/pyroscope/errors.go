package pyroscope

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
)

// A badRequestError is an error in a request of a client.
type badRequestError struct{ error }

func badRequest(format string, args ...any) error {
	return badRequestError{fmt.Errorf(format, args...)}
}

// queryError converts an error of a query to one of Connect.
func queryError(err error) *connect.Error {
	var already *connect.Error
	var bad badRequestError
	var refused *ingest.Error // not enough memory
	switch {
	case errors.As(err, &already):
		return already
	case errors.As(err, &refused):
		return wire.ConnectError(refused)
	case errors.As(err, &bad):
		return connect.NewError(connect.CodeInvalidArgument, bad)
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, err)
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, err)
	case errors.Is(err, store.ErrClosed):
		return connect.NewError(connect.CodeUnavailable, errors.New("the server is shutting down"))
	}
	return connect.NewError(connect.CodeInternal, errors.New("the server could not read the profiles; see its log"))
}
