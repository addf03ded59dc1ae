// Package httpload sends HTTP requests for package load.
//
// It has its own client for HTTP/1.1 (RFC 9112), which writes requests that were compiled
// before the run, and reads of an answer only what it needs to find its end. The client of
// net/http takes several times the CPU time per request, and CPU time that a generator
// uses is missing for the service on the same machine. HTTP/2 is net/http's.
package httpload

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/load/template"
)

// Options of a Driver.
type Options struct {
	Targets []Target // request n goes to target n modulo their number
	Feed    *template.Feed
	Seed    uint64 // for random values in templates

	Unix        string        // path of a Unix socket to connect to, instead of the hosts of URLs
	HTTP2       bool          // over one connection for each host, with or without TLS
	NoKeepAlive bool          // open a connection for each request
	Timeout     time.Duration // of a request, including redirections (30s)
	Redirects   int           // limit of redirections to follow for a request; 0: none
	Expect      Statuses      // statuses that count as success (200 to 399)
	TLS         TLS
}

// TLS has the settings of TLS. Files are in PEM.
type TLS struct {
	CA         string // certificates to trust instead of the system's
	Cert, Key  string // of the client
	ServerName string // name to ask for and to verify, instead of the URL's host
	Insecure   bool   // don't verify the server's certificate
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
		return nil, errors.New("a client certificate needs a key, and a key needs a certificate: give both")
	}
	if t.Cert != "" {
		pair, err := infile.KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// A Target describes a request. Path, headers and body may be templates; the host may
// not.
type Target struct {
	Name   string // what errors call it: "-body", "targets.txt:3"
	Method string
	URL    string
	Header []Header
	Body   string
	Raw    bool // send the body as it is: it is not a template
	Empty  bool // send a body even if it is empty
}

// A Header is a field of a request.
type Header struct{ Name, Value string }

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
			return nil, fmt.Errorf("invalid statuses %q: use a list like 200,204,3xx or 200-299", list)
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
