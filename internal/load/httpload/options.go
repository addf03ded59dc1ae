// Package httpload sends HTTP requests for package load.
//
// HTTP/1.1 is spoken by a client of its own, which writes a request that was
// compiled before and reads no more of an answer than it needs to know where it
// ends: net/http's takes several times the processor time for a request, and what
// a generator takes of a machine its measurements lack. HTTP/2 is net/http's.
package httpload

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/load/template"
)

// Options of a Driver.
type Options struct {
	Targets []Target // taken in turn: request n is of target n modulo their number
	Feed    *template.Feed
	Seed    uint64 // of random values in templates

	Unix        string // the path of a Unix socket to send to, whatever hosts URLs name
	HTTP2       bool   // over one connection, also without TLS
	NoKeepAlive bool   // a connection for each request
	Timeout     time.Duration
	Redirects   int      // followed for a request at most; 0: none
	Expect      Statuses // of answers that are no failures; 200 to 399 if empty
	TLS         TLS
}

// TLS settings. Files are PEM.
type TLS struct {
	CA         string // certificates to trust instead of the system's
	Cert, Key  string // of the client
	ServerName string // to ask for and to check, instead of the URL's host
	Insecure   bool   // check nothing
}

// Config returns the settings for package tls.
func (t TLS) Config() (*tls.Config, error) {
	c := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.Insecure}
	if t.CA != "" {
		var err error
		if c.RootCAs, err = infile.CertPool(t.CA); err != nil {
			return nil, err
		}
	}
	if (t.Cert == "") != (t.Key == "") {
		return nil, errors.New("a client's certificate and its key go together")
	}
	if t.Cert != "" {
		pair, err := infile.KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("the client's certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// A Target is a request as it was asked for. Path, headers and body may be
// templates; where it goes may not.
type Target struct {
	Name   string // what errors call it: "-body", "targets.txt:3"
	Method string
	URL    string
	Header []Header
	Body   string
	Raw    bool // the body is sent as it is: it is no template
	Empty  bool // there is a body, also if it is empty
}

// A Header is a field of a request.
type Header struct{ Name, Value string }

// A request is a compiled Target.
type request struct {
	method  string
	url     *url.URL // without path
	address string   // host:port
	key     string   // of connections to it
	path    *template.Template
	header  []header
	body    *template.Template // nil: none
	chunked bool               // the body goes in chunks, as a header says
	last    bool               // of its connection, as a header says
	static  []byte             // the whole of it, if nothing changes
}

type header struct {
	name  string
	value *template.Template
}

// compile checks a target and compiles its templates.
func (t Target) compile(feed *template.Feed) (*request, error) {
	scheme, rest, ok := strings.Cut(t.URL, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("%s: %q is no URL like http://host/path", t.Name, t.URL)
	}
	host, path := rest, "/"
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], strings.TrimPrefix(rest[i:], "#")
	}
	path, _, _ = strings.Cut(path, "#") // what follows is not sent
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if strings.Contains(host, "{{") {
		return nil, fmt.Errorf("%s: the host of %q can't be a template: requests go where you say alone", t.Name, t.URL)
	}
	u, err := url.Parse(scheme + "://" + host)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("%s: %q is no URL like http://host/path", t.Name, t.URL)
	}
	r := &request{method: t.Method, url: u, address: u.Host}
	if r.method == "" {
		r.method = http.MethodGet
	}
	if strings.ContainsFunc(r.method, func(c rune) bool { return !httpguts.IsTokenRune(c) }) {
		return nil, fmt.Errorf("%s: %q is no method", t.Name, r.method)
	}
	if u.Port() == "" {
		r.address = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[scheme])
	}
	r.key = scheme + r.address
	if r.path, err = template.Parse(t.Name+": the path", path, feed); err != nil {
		return nil, err
	}
	if u.User != nil {
		password, _ := u.User.Password()
		auth := http.Request{Header: http.Header{}}
		auth.SetBasicAuth(u.User.Username(), password)
		t.Header = append(t.Header[:len(t.Header):len(t.Header)], Header{"Authorization", auth.Header.Get("Authorization")})
		u.User = nil
	}
	for _, h := range t.Header {
		if !httpguts.ValidHeaderFieldName(h.Name) || !httpguts.ValidHeaderFieldValue(h.Value) {
			return nil, fmt.Errorf("%s: %q is no header like 'Name: value'", t.Name, h.Name+": "+h.Value)
		}
		value, err := template.Parse(t.Name+": header "+h.Name, h.Value, feed)
		if err != nil {
			return nil, err
		}
		r.header = append(r.header, header{h.Name, value})
		if err := r.list(t.Name, h); err != nil {
			return nil, err
		}
	}
	switch {
	case t.Body == "" && !t.Empty:
	case t.Raw:
		r.body = template.Literal(t.Body)
	default:
		if r.body, err = template.Parse(t.Name+": the body", t.Body, feed); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// list notes what a header means for how the request is sent. Several lines of one
// are one list.
func (r *request) list(name string, h Header) error {
	switch strings.ToLower(h.Name) {
	case "connection":
		for item := range items([]byte(h.Value)) {
			r.last = r.last || equalFold(item, "close")
		}
	case "transfer-encoding":
		for item := range items([]byte(h.Value)) {
			if r.chunked {
				return fmt.Errorf("%s: header %s: chunked has to be the last transfer encoding, not %q", name, h.Name, item)
			}
			r.chunked = equalFold(item, "chunked")
		}
	}
	return nil
}

// fixed reports whether a compiled request never changes.
func (r *request) fixed() bool {
	fixed := r.path.Static() && (r.body == nil || r.body.Static())
	for _, h := range r.header {
		fixed = fixed && h.value.Static()
	}
	return fixed
}

// Statuses are ranges of status codes.
type Statuses [][2]int

// ParseStatuses reads a list like 200,204,300-399,4xx.
func ParseStatuses(list string) (Statuses, error) {
	var s Statuses
	for _, item := range strings.Split(list, ",") {
		var r [2]int
		var err error
		if class, ok := strings.CutSuffix(item, "xx"); ok {
			_, err = fmt.Sscanf(class+"\n", "%d\n", &r[0])
			r[0] *= 100
			r[1] = r[0] + 99
		} else if from, to, ok := strings.Cut(item, "-"); ok {
			_, err = fmt.Sscanf(from+" "+to+"\n", "%d %d\n", &r[0], &r[1])
		} else {
			_, err = fmt.Sscanf(item+"\n", "%d\n", &r[0])
			r[1] = r[0]
		}
		if err != nil || r[0] < 100 || r[1] > 999 || r[1] < r[0] {
			return nil, fmt.Errorf("%q: want statuses like 200,204,3xx or 200-299", list)
		}
		s = append(s, r)
	}
	return s, nil
}

func (s Statuses) has(status int) bool {
	if len(s) == 0 {
		return status >= 200 && status < 400
	}
	for _, r := range s {
		if status >= r[0] && status <= r[1] {
			return true
		}
	}
	return false
}
