package grpcload

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/hone-go/hone/internal/load"
)

// failure returns a failure of a class, for which outcomes are counted together.
func failure(class, format string, args ...any) *load.Failure {
	return &load.Failure{Class: class, Text: fmt.Sprintf(format, args...)}
}

// unescape decodes the percent-encoding of a grpc-message.
func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// statusDeadline is the code of DeadlineExceeded.
const statusDeadline = 4

// statusNames are the gRPC status codes from 0
// (https://grpc.github.io/grpc/core/md_doc_statuscodes.html).
var statusNames = []string{
	"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists", "PermissionDenied", "ResourceExhausted",
	"FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated",
}

func statusName(code int) string {
	if code >= 0 && code < len(statusNames) {
		return statusNames[code]
	}
	return "status " + strconv.Itoa(code)
}
