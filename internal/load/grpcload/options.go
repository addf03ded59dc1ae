package grpcload

import (
	"cmp"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"golang.org/x/net/http2/hpack"

	"github.com/hone-go/hone/internal/load/template"
)

// Options of a load over gRPC. The zero value of each that isn't required is its default.
type Options struct {
	Address string // HOST:PORT, or unix:PATH; required
	Method  string // SERVICE/METHOD; required

	// Where the method's types come from: descriptor sets, as protoc -o writes
	// them, or .proto files, or, without either, the server's reflection.
	Protosets   []string
	Protos      []string
	ImportPaths []string // of Protos; the working folder and those of the files

	// Data is the request in JSON, a template; "" is {}. For methods that take a
	// stream it is an array of messages, or one after the other.
	Data     string
	Literal  bool           // Data is no template
	DataName string         // what errors call Data: a file, a flag ("data")
	Feed     *template.Feed // of its {{row.…}}; may be nil
	Seed     uint64         // of its random values

	// Metadata are headers, "name: value", the value a template. That of a name which
	// ends in -bin is base64, of either alphabet, with padding or without: it stands for
	// bytes.
	Metadata  []string
	Authority string // the :authority header (Address)

	// TLS is nil for HTTP/2 without it. Its server name is the authority's host, if empty.
	TLS *tls.Config

	Timeout    time.Duration // that a call has; none
	MaxMessage int           // bytes of a message of an answer (64 MiB)
	Gzip       bool          // compress requests, and take compressed answers

	// Of a Sender: calls share connections, up to so many at a time. More wait.
	Connections int // (1)
	Calls       int // over all connections (100)
}

// Limits of Options.
const (
	maxConnections = 1 << 16
	maxCalls       = 1 << 20
)

func (o Options) withDefaults() (Options, error) {
	o.DataName = cmp.Or(o.DataName, "data")
	o.MaxMessage = cmp.Or(o.MaxMessage, 64<<20)
	o.Connections = cmp.Or(o.Connections, 1)
	o.Calls = cmp.Or(o.Calls, max(100, o.Connections))
	if strings.TrimSpace(o.Data) == "" {
		o.Data = "{}"
	}
	switch {
	case o.Address == "":
		return o, errors.New("no address to send to")
	case o.Timeout < 0 || o.MaxMessage < 0:
		return o, errors.New("the timeout and the greatest message can't be negative")
	case o.Connections < 1 || o.Connections > maxConnections:
		return o, fmt.Errorf("%d connections: want 1 to %d", o.Connections, maxConnections)
	case o.Calls < o.Connections || o.Calls > maxCalls:
		return o, fmt.Errorf("%d calls at a time over %d connections: want one for each at least, and %d at most", o.Calls, o.Connections, maxCalls)
	case len(o.Protosets) > 0 && len(o.Protos) > 0:
		return o, errors.New("the method's types come from descriptor sets or from .proto files, not from both")
	}
	if !strings.HasPrefix(o.Address, "unix:") {
		if _, port, err := net.SplitHostPort(o.Address); err != nil || port == "" {
			return o, fmt.Errorf("%q is no address: want HOST:PORT or unix:PATH", o.Address)
		}
	}
	return o, nil
}

// authority returns what :authority says.
func (o Options) authority() string {
	if strings.HasPrefix(o.Address, "unix:") {
		return cmp.Or(o.Authority, "localhost")
	}
	return cmp.Or(o.Authority, o.Address)
}

// tls returns the settings of TLS; nil without.
func (o Options) tls() *tls.Config {
	if o.TLS == nil {
		return nil
	}
	c := o.TLS.Clone()
	c.NextProtos = []string{"h2"}
	if c.ServerName == "" {
		host, _, err := net.SplitHostPort(o.authority())
		if err != nil {
			host = o.authority()
		}
		c.ServerName = host
	}
	return c
}

// fields returns the headers that all calls of a path have.
func (o Options) fields(path string) []hpack.HeaderField {
	scheme := "https"
	if o.TLS == nil {
		scheme = "http"
	}
	fields := []hpack.HeaderField{
		{Name: ":method", Value: "POST"},
		{Name: ":scheme", Value: scheme},
		{Name: ":path", Value: path},
		{Name: ":authority", Value: o.authority()},
		{Name: "content-type", Value: "application/grpc"},
		{Name: "user-agent", Value: "hone"},
		{Name: "te", Value: "trailers"},
	}
	if o.Timeout > 0 {
		fields = append(fields, hpack.HeaderField{Name: "grpc-timeout", Value: timeoutField(o.Timeout)})
	}
	if o.Gzip {
		fields = append(fields, hpack.HeaderField{Name: "grpc-encoding", Value: "gzip"}, hpack.HeaderField{Name: "grpc-accept-encoding", Value: "gzip"})
	}
	return fields
}

// timeoutField writes a time as grpc-timeout has it: at most eight digits and a unit.
func timeoutField(d time.Duration) string {
	const most = 99999999
	up := func(d, unit time.Duration) int64 { return int64((d-1)/unit) + 1 }
	for _, u := range []struct {
		d    time.Duration
		name string
	}{{time.Nanosecond, "n"}, {time.Microsecond, "u"}, {time.Millisecond, "m"}, {time.Second, "S"}, {time.Minute, "M"}} {
		if n := up(d, u.d); n <= most {
			return fmt.Sprintf("%d%s", n, u.name)
		}
	}
	return fmt.Sprintf("%dH", up(d, time.Hour)) // a Duration has no more than eight digits of them
}

// A field is a header that differs from call to call.
type field struct {
	name   string
	binary bool
	value  *template.Template
}

// metadata returns the headers that the user named: those that are the same for
// all calls, and the others.
func (o Options) metadata() (same []hpack.HeaderField, differ []field, err error) {
	for i, line := range o.Metadata {
		name, value, ok := strings.Cut(line, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !ok || name == "":
			return nil, nil, fmt.Errorf("metadata %q: want NAME: VALUE", line)
		case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "":
			return nil, nil, fmt.Errorf("metadata %q: a name has letters, digits and - _ . only", line)
		case strings.HasPrefix(name, "grpc-") || name == "content-type" || name == "te" || name == "connection" || name == "host":
			return nil, nil, fmt.Errorf("metadata %q: %s is of the protocol itself", line, name)
		}
		t, err := template.Parse(fmt.Sprintf("metadata %d", i+1), strings.TrimSpace(value), o.Feed)
		if err != nil {
			return nil, nil, err
		}
		f := field{name, strings.HasSuffix(name, "-bin"), t}
		if !t.Static() {
			differ = append(differ, f)
			continue
		}
		b, err := f.append(nil, template.NewValues(0, 0))
		if err != nil {
			return nil, nil, fmt.Errorf("metadata %q: %w", line, err)
		}
		same = append(same, hpack.HeaderField{Name: name, Value: string(b)})
	}
	return same, differ, nil
}

// append appends the field's value to dst.
func (f field) append(dst []byte, v *template.Values) ([]byte, error) {
	from := len(dst)
	dst = f.value.Append(dst, v)
	if f.binary {
		value, ok := appendBase64(nil, dst[from:])
		if !ok {
			return dst, failure("template", "metadata %s: its value %q is not base64, which a name that ends in -bin takes", f.name, dst[from:])
		}
		return base64.RawStdEncoding.AppendEncode(dst[:from], value), nil
	}
	for _, b := range dst[from:] {
		if b < ' ' || b > '~' {
			return dst, failure("template", "metadata %s: its value %q has characters other than those of ASCII", f.name, dst[from:])
		}
	}
	return dst, nil
}
