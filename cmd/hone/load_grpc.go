package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/grpcload"
	"github.com/hone-go/hone/internal/load/measure"
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

func (g *loadGRPC) parse(ctx context.Context, f *loadFlags, rest []string) (err error) {
	switch {
	case len(rest) < 2:
		return f.usage("missing argument: give the address, HOST:PORT, and the method, SERVICE/METHOD")
	case len(rest) > 2:
		return f.usage("unexpected %q after the method", rest[2])
	case g.opts.Connections < 1 || g.opts.Calls < 1:
		return f.usage("-connections and -calls must be at least 1")
	}
	g.opts.Address, g.opts.Method = rest[0], rest[1]
	data, err := infile.Text([]byte(f.body))
	if err != nil {
		return fmt.Errorf("%s: %w", cmp.Or(f.bodyFile, "the body"), err)
	}
	g.opts.Data, g.opts.DataName, g.opts.Literal = string(data), "the body", !f.fills()
	g.opts.Feed, g.opts.Seed, g.opts.Timeout = f.feed, f.seed, orDefault(f.timeout)
	for _, h := range f.header {
		g.opts.Metadata = append(g.opts.Metadata, h.Name+": "+h.Value)
	}
	g.opts.TLS, err = f.tlsConfig(g.tls)
	return err
}

func (g *loadGRPC) open(ctx context.Context, f *loadFlags) (loadTarget, error) {
	if !strings.HasPrefix(g.opts.Address, "unix:") {
		if err := load.Resolve(ctx, g.opts.Address); err != nil {
			return loadTarget{}, err
		}
	}
	d, err := grpcload.New(ctx, g.opts)
	if err != nil {
		return loadTarget{}, err
	}
	method := d.Method()
	target := loadTarget{
		name: method[strings.LastIndexByte(method, '.')+1:], where: g.opts.Address + " " + method,
		period: f.closedOrOpen(d, func() openSender { return d.Sender() }),
	}
	if _, stream := d.Streams(); stream {
		target.period = countedMessages(d, target.period)
		target.tell = func(b *bytes.Buffer, periods []*load.Result) { messagesOf(periods).tell(b) }
		target.more = func(periods []*load.Result) any { return messagesOf(periods) }
	}
	return target, nil
}

// grpcMessages counts the messages in answers of a streaming method.
type grpcMessages struct {
	Messages int64 `json:"messages"`
	Cut      int64 `json:"messages_of_failed"` // in answers that broke off
}

// messagesOf adds up all periods.
func messagesOf(periods []*load.Result) (all grpcMessages) {
	for _, r := range periods {
		if m, ok := r.Besides.(grpcMessages); ok {
			all.Messages, all.Cut = all.Messages+m.Messages, all.Cut+m.Cut
		}
	}
	return all
}

// countedMessages counts the messages of a load.
func countedMessages(d *grpcload.Driver, of func(load.Pacing) measure.Load) func(load.Pacing) measure.Load {
	return func(pacing load.Pacing) measure.Load {
		period := of(pacing)
		return func(ctx context.Context, stage measure.Stage, length time.Duration, opts load.Options) (*load.Result, error) {
			complete, cut := d.Answers()
			r, err := period(ctx, stage, length, opts)
			if r != nil && stage == measure.Period {
				c, x := d.Answers()
				r.Besides = grpcMessages{Messages: c - complete + x - cut, Cut: x - cut}
			}
			return r, err
		}
	}
}

func (m grpcMessages) tell(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n  messages  %d came in answers", m.Messages)
	if m.Cut > 0 {
		fmt.Fprintf(b, ", %d of them in answers that broke off", m.Cut)
	}
	fmt.Fprintln(b)
}

func (g *loadGRPC) address(f *loadFlags) (string, error) {
	if _, _, err := net.SplitHostPort(g.opts.Address); err != nil && !strings.HasPrefix(g.opts.Address, "unix:") {
		return "", f.usage("-serve needs an address to wait for, HOST:PORT or unix:PATH: %w", err)
	}
	return g.opts.Address, nil
}
