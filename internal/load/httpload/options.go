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
	"strings"
	"time"

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
