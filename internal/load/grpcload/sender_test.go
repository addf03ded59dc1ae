package grpcload

import (
	"context"
	"testing"

	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/loadtest"
)

// A service is grpc-go's server, and a Sender of the driver or a pool of its clients.
type service struct {
	loadtest.Gate
	address string
	pool    bool
}

func (s *service) Open(t *testing.T, settings loadtest.Settings) load.Sender {
	data := `{"text": "an answer"}`
	if settings.Refuses {
		data = `{"code": 14}`
	}
	o := echoOptions(s.address, "One", data)
	o.Timeout, o.Connections, o.Calls = settings.Timeout, 1, 1000
	if settings.Parallel > 0 {
		o.Calls = settings.Parallel
	}
	d := newDriver(t, o)
	if s.pool {
		return load.NewPool(d, o.Calls)
	}
	return d.Sender()
}

func TestSender(t *testing.T) {
	for name, pool := range map[string]bool{"Sender": false, "Pool": true} {
		t.Run(name, func(t *testing.T) {
			loadtest.Run(t, func(t *testing.T) loadtest.Service {
				s := &service{pool: pool}
				e := newEcho(t)
				// The deadline of a call ends its context here, too, and its answer must not come then.
				e.seen = func(ctx context.Context, _ *dynamicpb.Message) { s.Pass(context.WithoutCancel(ctx)) }
				_, s.address = serveEcho(t, e, 0)
				return s
			})
		})
	}
}
