package capture

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/infile"
)

// Source is an open source. The caller closes Reader.
type Source struct {
	Reader io.ReadCloser
	// Name is the path, "stdin", or the URL after redirects, without password.
	Name   string
	Remote bool
	// URL is what was requested; empty unless Remote. It holds the password
	// if the user gave one.
	URL  string
	Size int64 // bytes, or -1 if not known
}

// Open opens source: "-" is standard input; a name that exists is a file; what
// else looks like host:port/path or a URL is fetched. For a URL, Open returns
// when the first byte of the profile has arrived. Errors, also those of
// reading, are one line that names the source.
//
// Canceling ctx ends a fetch, at any point until Reader is closed.
func (f *Fetcher) Open(ctx context.Context, source string) (*Source, error) {
	if source == "-" {
		in := f.Stdin
		if in == nil {
			in = os.Stdin
		}
		return &Source{Reader: io.NopCloser(infile.Reader(ctx, in)), Name: "stdin", Size: -1}, nil
	}
	// A file may be called host:80, so what exists is a file.
	if _, err := os.Stat(source); err == nil {
		return openFile(ctx, source)
	}
	r, ok := f.adjustURL(source)
	if !ok {
		return openFile(ctx, source) // fails, and says why
	}
	return f.fetch(ctx, r)
}

// openFile opens a file that the user named, which may be a pipe.
func openFile(ctx context.Context, name string) (*Source, error) {
	if fi, err := os.Stat(name); err == nil && fi.IsDir() {
		return nil, fmt.Errorf("%s: is a directory", name)
	}
	in, err := infile.OpenAny(ctx, name)
	if err != nil {
		return nil, err
	}
	s := &Source{Reader: in, Name: name, Size: -1}
	if file, ok := in.(*os.File); ok {
		fi, err := file.Stat()
		if err != nil {
			file.Close()
			return nil, err
		}
		s.Reader, s.Size = &fileReader{ctx, file}, fi.Size()
	}
	return s, nil
}

// A fileReader reads a regular file, which it can seek in, until its context ends.
type fileReader struct {
	ctx context.Context
	*os.File
}

func (f *fileReader) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

// WriteTo hides that of the file, which would read to its end.
func (f *fileReader) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{f})
}

func (f *Fetcher) fetch(ctx context.Context, r request) (*Source, error) {
	config, err := f.tlsConfig()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.url.Redacted(), err)
	}
	target := *r.url
	if target.Scheme == insecureScheme {
		target.Scheme = "https"
		config.InsecureSkipVerify = true
	}
	f.say("Fetching profile over HTTP from %s", r.url.Redacted())
	if r.wait > 0 && !f.onTerminal() {
		f.say("Please wait... (%v)", r.wait)
	}

	// HTTP/1 only, for one request per connection; and what HTTP/2 says of a
	// refused client certificate depends on who is faster.
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config}
	client := &http.Client{Transport: transport, CheckRedirect: checkRedirect}
	ctx, cancel := context.WithCancelCause(ctx)
	b := &body{exchange: exchange{r: r, ctx: ctx, size: -1, maxBytes: f.MaxBytes, sendsCert: f.TLSCert != ""}, line: f.startLive()}
	config.GetClientCertificate = b.clientCertificate(config.Certificates)
	// One timer covers dialing, the handshake, the header and every read of
	// the body: whatever the server is doing, it must not go silent.
	b.timer = time.AfterFunc(r.limit, func() { cancel(errSilent) })
	b.close = func() {
		b.timer.Stop()
		cancel(context.Canceled)
		transport.CloseIdleConnections()
	}
	b.line.countDown(r.wait)
	src, err := b.open(client, target.String())
	if err != nil {
		b.Close()
		return nil, err
	}
	return src, nil
}

// clientCertificate does what crypto/tls would do with certs, and remembers
// that it was asked: a server that refuses the answer may just hang up.
func (b *body) clientCertificate(certs []tls.Certificate) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return func(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		b.wantsCert.Store(true)
		for i := range certs {
			if info.SupportsCertificate(&certs[i]) == nil {
				return &certs[i], nil
			}
		}
		return new(tls.Certificate), nil
	}
}

// body is the response to a request. Reading it keeps the watch on the server
// and turns errors into lines that name the source.
type body struct {
	exchange
	timer *time.Timer // fires errSilent; runs only while waiting for the server
	close func()
	line  *liveLine
	err   error // sticky
}

// open sends the request and looks at the answer up to the first bytes.
func (b *body) open(client *http.Client, target string) (*Source, error) {
	req, err := http.NewRequestWithContext(b.ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, b.explain(err)
	}
	b.resp, err = client.Do(req)
	if err != nil {
		return nil, b.explain(err)
	}
	if b.resp.StatusCode != http.StatusOK {
		return nil, b.statusError()
	}
	b.size = b.resp.ContentLength
	if limit := b.maxBytes; limit > 0 && b.size > limit {
		return nil, b.tooLarge()
	}
	buf := bufio.NewReaderSize(b, 32<<10)
	if _, err := buf.Peek(1); err == io.EOF {
		return nil, b.fail("the server sent an empty response", io.ErrUnexpectedEOF)
	} else if err != nil {
		return nil, err
	}
	b.line.stopCountDown()
	head, _ := buf.Peek(buf.Buffered())
	if isHTML(b.resp.Header.Get("Content-Type"), head) {
		return nil, b.htmlError()
	}
	return &Source{
		Reader: struct {
			io.Reader
			io.Closer
		}{buf, b},
		Name:   b.resp.Request.URL.Redacted(),
		Remote: true,
		URL:    b.r.url.String(),
		Size:   b.size,
	}, nil
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if limit := b.maxBytes; limit > 0 && int64(len(p)) > limit-b.got {
		p = p[:max(1, limit-b.got)] // at the limit, one more byte tells
	}
	b.timer.Reset(b.r.limit)
	n, err := b.resp.Body.Read(p)
	b.timer.Stop()
	b.got += int64(n)
	b.line.received(b.got, b.size)
	switch {
	case b.maxBytes > 0 && b.got > b.maxBytes:
		n, b.err = 0, b.tooLarge()
	case err == io.EOF:
		b.err = err
		b.line.end(fmt.Sprintf("Received %s", formatBytes(b.got)))
	case err != nil:
		b.err = b.explain(err)
	}
	return n, b.err
}

// Close ends the request, finished or not.
func (b *body) Close() error {
	b.line.end("")
	if b.resp != nil {
		b.resp.Body.Close()
	}
	b.close()
	return nil
}

func isHTML(contentType string, head []byte) bool {
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return false // gzip, whatever a proxy says it is
	}
	mediaType, _, _ := strings.Cut(contentType, ";")
	if strings.EqualFold(strings.TrimSpace(mediaType), "text/html") {
		return true
	}
	// "<" cannot start a profile: in a protocol buffer it is the end of a
	// group, and no text format begins so.
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<"))
}
