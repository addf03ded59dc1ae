package capture

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"unicode"
)

var (
	errSilent = errors.New("the server is silent")

	// ErrInUse is wrapped in the error of a CPU profile that the program can't give
	// now, as it takes one for somebody else.
	ErrInUse = errors.New("cpu profiling already in use")
)

// fetchError is one line for people; the cause is for errors.Is and As.
type fetchError struct {
	url, text string
	err       error
}

func (e *fetchError) Error() string { return e.url + ": " + e.text }
func (e *fetchError) Unwrap() error { return e.err }

func (x *exchange) fail(text string, err error) error {
	return &fetchError{url: x.r.url.Redacted(), text: oneLine(text), err: err}
}

// explain says what went wrong and, where one is known, what to do about it.
func (x *exchange) explain(err error) error {
	cause := context.Cause(x.ctx)
	if cause == errSilent {
		text := fmt.Sprintf("the server sent nothing for %v", x.r.limit)
		if x.got > 0 {
			text += fmt.Sprintf(" after %s", formatBytes(x.got))
		}
		return x.fail(fmt.Sprintf("%s; the timeout is %v, raise it with -timeout", text, x.r.timeout), context.DeadlineExceeded)
	}
	if cause != nil {
		return x.fail(cause.Error(), cause)
	}
	// The URL is named already.
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	text := err.Error()
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		return x.fail(text+" (the proxy is from HTTP_PROXY or HTTPS_PROXY)", err)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			text = "no such host " + dns.Name
		}
		if !strings.Contains(x.r.source, "://") && x.r.url.User == nil {
			text += fmt.Sprintf(" (and no file %s)", x.r.source)
		}
		return x.fail(text, err)
	}
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		text = cert.Err.Error()
		insecure := insecureScheme + "://" + x.r.url.Host
		if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
			text += "; trust its authority with -tls_ca, or skip the check with " + insecure
		} else {
			text += "; to skip the check use " + insecure
		}
		return x.fail(text, err)
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		text = "connection refused (is the program running, and does it listen there?)"
	case errors.Is(err, http.ErrSchemeMismatch):
		text = "the server speaks HTTP, not HTTPS (use http://" + x.r.url.Host + ")"
	case x.resp == nil && x.wantsCert.Load():
		if !x.sendsCert {
			text += " (the server asks for a client certificate: -tls_cert and -tls_key)"
		} else {
			text += " (the server may not accept the client certificate of -tls_cert)"
		}
	case strings.Contains(text, "unsupported protocol scheme"):
		text += " (use http, https or " + insecureScheme + ")"
	case x.resp == nil && errors.Is(err, io.EOF):
		text = "the server closed the connection without an answer"
	case x.resp != nil && errors.Is(err, io.ErrUnexpectedEOF):
		text = fmt.Sprintf("the connection broke after %d bytes", x.got)
		if x.size >= 0 {
			text += fmt.Sprintf(" of %d", x.size)
		}
	}
	return x.fail(text, err)
}

// statusError reports an answer other than 200 OK. Go's pprof handlers say in
// a marked text body what they did not like.
func (x *exchange) statusError() error {
	head, err := io.ReadAll(io.LimitReader(x.resp.Body, maxErrorBody))
	if context.Cause(x.ctx) != nil {
		return x.explain(err)
	}
	text := "server response: " + x.resp.Status
	isText := strings.Contains(x.resp.Header.Get("Content-Type"), "text/plain")
	reason := strings.TrimSpace(string(head))
	var cause error
	switch {
	case isText && x.resp.Header.Get("X-Go-Pprof") != "" && reason != "":
		text += " - " + reason
		if strings.HasSuffix(reason, ErrInUse.Error()) {
			cause = ErrInUse
		}
	case x.resp.StatusCode == http.StatusBadRequest && strings.HasPrefix(reason, "Client sent an HTTP request to an HTTPS server"):
		text += " (the server speaks HTTPS, not HTTP: use https://" + x.r.url.Host + ")"
	case x.resp.StatusCode == http.StatusNotFound && strings.Contains(x.r.url.Path, "/debug/pprof/"):
		text += " (does the program import net/http/pprof?)"
	}
	return x.fail(text, cause)
}

func (x *exchange) tooLarge() error {
	text := fmt.Sprintf("the profile is over the limit of %d bytes", x.maxBytes)
	if x.size >= 0 {
		text += fmt.Sprintf(": the server announced %d", x.size)
	}
	return x.fail(text, nil)
}

// htmlError suggests the handler that was meant, unless it was the one asked:
// then a login page or a proxy answers for it.
func (x *exchange) htmlError() error {
	text := "the server sent an HTML page, not a profile"
	meant := *x.r.url
	root, rest, ok := strings.Cut(strings.TrimSuffix(meant.Path, "/"), "/debug/pprof")
	if ok && rest != "" {
		return x.fail(text+" (a login page or a proxy?)", nil)
	}
	if !ok {
		root = "" // a handler beside pprof's
	}
	meant.RawQuery, meant.Fragment, meant.RawPath = "", "", ""
	meant.Path = root + profileHandler
	return x.fail(fmt.Sprintf("%s (did you mean %s?)", text, meant.Redacted()), nil)
}

// oneLine keeps what a server sent from breaking the message or the terminal.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}
