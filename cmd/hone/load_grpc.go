package main

import (
	"context"
	"crypto/tls"
	"flag"
	"net"
	"strings"

	"github.com/hone-go/hone/internal/load/grpcload"
	"github.com/hone-go/hone/internal/load/httpload"
)

// loadGRPC is hone load grpc.
type loadGRPC struct {
	opts grpcload.Options
	tls  bool
}

func (g *loadGRPC) define(fs *flag.FlagSet) {
	for name, to := range map[string]*[]string{"proto": &g.opts.Protos, "protoset": &g.opts.Protosets, "I": &g.opts.ImportPaths} {
		fs.Func(name, "", func(s string) error { *to = append(*to, s); return nil })
	}
	fs.BoolVar(&g.tls, "tls", false, "")
	fs.StringVar(&g.opts.Authority, "authority", "", "")
	fs.IntVar(&g.opts.Connections, "connections", 1, "")
	fs.IntVar(&g.opts.Calls, "calls", 1000, "")
	fs.BoolVar(&g.opts.Gzip, "gzip", false, "")
}

func (g *loadGRPC) parse(f *loadFlags, rest []string) (err error) {
	switch {
	case len(rest) < 2:
		return f.usage("want the address, HOST:PORT, and the method, SERVICE/METHOD")
	case len(rest) > 2:
		return f.usage("unexpected %q after the method", rest[2])
	case g.opts.Connections < 1 || g.opts.Calls < 1:
		return f.usage("-connections and -calls have to be at least 1")
	}
	g.opts.Address, g.opts.Method = rest[0], rest[1]
	g.opts.Data, g.opts.DataName = f.body, "the body"
	g.opts.Feed, g.opts.Seed, g.opts.Timeout = f.feed, f.seed, orDefault(f.timeout)
	for _, h := range f.header {
		g.opts.Metadata = append(g.opts.Metadata, h.Name+": "+h.Value)
	}
	g.opts.TLS, err = f.tlsConfig(g.tls)
	return err
}

func (g *loadGRPC) open(ctx context.Context, f *loadFlags) (loadTarget, error) {
	d, err := grpcload.New(ctx, g.opts)
	if err != nil {
		return loadTarget{}, err
	}
	method := d.Method()
	return loadTarget{
		name: method[strings.LastIndexByte(method, '.')+1:], where: g.opts.Address + " " + method,
		period: f.closedOrOpen(d, func() openSender { return d.Sender() }),
	}, nil
}

func (g *loadGRPC) address(f *loadFlags) (string, error) {
	if _, _, err := net.SplitHostPort(g.opts.Address); err != nil {
		return "", f.usage("-serve needs a HOST:PORT to wait for: %w", err)
	}
	return g.opts.Address, nil
}

// tlsConfig returns the settings of TLS, nil if it is not asked for.
func (f *loadFlags) tlsConfig(asked bool) (*tls.Config, error) {
	if !asked && f.tls == (httpload.TLS{}) {
		return nil, nil
	}
	return f.tls.Config()
}
