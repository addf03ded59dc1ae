package agentgrpc_test

import (
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/hone-go/hone/agent"
	"github.com/hone-go/hone/agent/agentgrpc"
)

// health is a service that notes the label of its calls.
type health struct {
	grpc_health_v1.UnimplementedHealthServer
	mu     sync.Mutex
	labels []string
}

func (h *health) note(ctx context.Context) {
	label, _ := pprof.Label(ctx, "endpoint")
	h.mu.Lock()
	defer h.mu.Unlock()
	h.labels = append(h.labels, label)
}

func (h *health) Check(ctx context.Context, _ *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	h.note(ctx)
	return &grpc_health_v1.HealthCheckResponse{}, nil
}

func (h *health) Watch(_ *grpc_health_v1.HealthCheckRequest, s grpc_health_v1.Health_WatchServer) error {
	h.note(s.Context())
	return s.Send(&grpc_health_v1.HealthCheckResponse{})
}

const (
	check = "/grpc.health.v1.Health/Check"
	watch = "/grpc.health.v1.Health/Watch"
)

// TestCallsAreCounted calls a real server and reads what the agent sends.
func TestCallsAreCounted(t *testing.T) {
	var mu sync.Mutex
	var counts []string // profiles as they arrive, not compressed
	hone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		counts = append(counts, string(data))
		mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}))
	defer hone.Close()
	a, err := agent.Start(agent.Config{
		Server: hone.URL, Kinds: []agent.Kind{agent.KindRequests}, SpoolDir: t.TempDir(), Period: 50 * time.Millisecond, Budget: 1000,
	})
	if err != nil {
		t.Fatal(err)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(
		grpc.ChainUnaryInterceptor(agentgrpc.UnaryServerInterceptor()),
		grpc.ChainStreamInterceptor(agentgrpc.StreamServerInterceptor()),
	)
	service := &health{}
	grpc_health_v1.RegisterHealthServer(server, service)
	go server.Serve(l)
	defer server.Stop()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := grpc_health_v1.NewHealthClient(conn)
	if _, err := client.Check(context.Background(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Fatal(err)
	}
	stream, err := client.Watch(context.Background(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	if err := a.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}

	service.mu.Lock()
	defer service.mu.Unlock()
	if got := strings.Join(service.labels, " "); got != check+" "+watch {
		t.Errorf("the calls have the labels %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, method := range []string{check, watch} {
		if !strings.Contains(strings.Join(counts, ""), method) {
			t.Errorf("no profile of requests has %s", method)
		}
	}
}
