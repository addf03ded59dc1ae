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

// Options of a load over gRPC. A zero value means the default, in parentheses where it
// isn't obvious.
type Options struct {
	Address string // HOST:PORT, or unix:PATH; required
	Method  string // SERVICE/METHOD; required

	// Where to find the method's types: descriptor sets, as protoc -o writes them, or
	// .proto files. Without either, the server is asked by reflection.
	Protosets   []string
	Protos      []string
	ImportPaths []string // where Protos import from (the working directory and those of the files)

	// Data is a template of the request in JSON ({}). For a method that takes a stream,
	// it is an array of messages, or several messages, one after the other.
	Data     string
	Literal  bool           // send Data as it is: it is not a template
	DataName string         // name of Data in errors, such as a file ("data")
	Feed     *template.Feed // for {{row.…}} in templates; may be nil
	Seed     uint64         // for random values in templates

	// Metadata are headers as "name: value". The value is a template. If the name ends in
	// -bin, the value is base64 in either alphabet, with or without padding.
	Metadata  []string
	Authority string // the :authority header (Address)

	// TLS is nil for HTTP/2 without TLS. If its ServerName is empty, it is the host of the
	// authority.
	TLS *tls.Config

	Timeout    time.Duration // of a call (none)
	MaxMessage int           // limit of a message in an answer, in bytes (64 MiB)
	Gzip       bool          // compress requests, and accept compressed answers

	// The calls of a Sender share connections. Calls beyond the limit wait.
	Connections int // number of connections (1)
	Calls       int // limit of calls under way, over all connections (100)
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
		return o, errors.New("the timeout and the size of a message can't be negative")
	case o.Connections < 1 || o.Connections > maxConnections:
		return o, fmt.Errorf("invalid number of connections %d: use 1 to %d", o.Connections, maxConnections)
	case o.Calls < o.Connections || o.Calls > maxCalls:
		return o, fmt.Errorf("invalid number of concurrent calls %d over %d connections: use at least one per connection, and at most %d", o.Calls, o.Connections, maxCalls)
	case len(o.Protosets) > 0 && len(o.Protos) > 0:
		return o, errors.New("use either descriptor sets or .proto files, not both")
	}
	if !strings.HasPrefix(o.Address, "unix:") {
		if _, port, err := net.SplitHostPort(o.Address); err != nil || port == "" {
			return o, fmt.Errorf("invalid address %q: use HOST:PORT or unix:PATH", o.Address)
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

// A metadataField is a header whose value is a template: it differs from call to call.
type metadataField struct {
	name   string
	binary bool
	value  *template.Template
}

// metadata returns the headers that the user named: those that are the same for
// all calls, and the others.
func (o Options) metadata() (same []hpack.HeaderField, differ []metadataField, err error) {
	for i, line := range o.Metadata {
		name, value, ok := strings.Cut(line, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !ok || name == "":
			return nil, nil, fmt.Errorf("invalid metadata %q: use NAME: VALUE", line)
		case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "":
			return nil, nil, fmt.Errorf("invalid metadata %q: a name has only letters, digits, dots, - and _", line)
		case strings.HasPrefix(name, "grpc-") || name == "content-type" || name == "te" || name == "connection" || name == "host":
			return nil, nil, fmt.Errorf("invalid metadata %q: %s belongs to the protocol, and hone sets it", line, name)
		}
		t, err := template.Parse(fmt.Sprintf("metadata %d", i+1), strings.TrimSpace(value), o.Feed)
		if err != nil {
			return nil, nil, err
		}
		f := metadataField{name, strings.HasSuffix(name, "-bin"), t}
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
func (f metadataField) append(dst []byte, v *template.Values) ([]byte, error) {
	from := len(dst)
	dst = f.value.Append(dst, v)
	if f.binary {
		value, ok := appendBase64(nil, dst[from:])
		if !ok {
			return dst, failure("template", "invalid metadata %s: %q is not base64, which names ending in -bin need", f.name, dst[from:])
		}
		return base64.RawStdEncoding.AppendEncode(dst[:from], value), nil
	}
	for _, b := range dst[from:] {
		if b < ' ' || b > '~' {
			return dst, failure("template", "invalid metadata %s: %q has characters that are not printable ASCII", f.name, dst[from:])
		}
	}
	return dst, nil
}
