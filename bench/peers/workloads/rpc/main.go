// Command rpc is a gRPC service with interceptors, unary and streaming
// methods, under load from a child process.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/hone-go/hone/bench/peers/workloads/kit"
)

type svc struct {
	pb.UnimplementedTestServiceServer
	mu    sync.Mutex
	cache map[string]*structpb.Struct
	quota map[string]int
}

func (s *svc) EmptyCall(ctx context.Context, e *pb.Empty) (*pb.Empty, error) { return e, nil }

func (s *svc) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	if r.GetResponseStatus() != nil {
		return nil, status.Error(codes.Code(r.ResponseStatus.Code), r.ResponseStatus.Message)
	}
	body, err := s.work(string(r.GetPayload().GetBody()), int(r.ResponseSize))
	if err != nil {
		return nil, err
	}
	return &pb.SimpleResponse{Payload: &pb.Payload{Body: body}, Username: "u"}, nil
}

func (s *svc) work(key string, n int) ([]byte, error) {
	s.mu.Lock()
	st, ok := s.cache[key]
	s.mu.Unlock()
	if !ok {
		var err error
		st, err = structpb.NewStruct(map[string]any{"key": key, "list": []any{1, "a", true, nil, map[string]any{"x": 1.5}}, "n": n})
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.cache[key] = st
		if len(s.cache) > 500 {
			for k := range s.cache {
				delete(s.cache, k)
				break
			}
		}
		s.mu.Unlock()
	}
	cp := proto.Clone(st).(*structpb.Struct)
	cp.Fields["size"] = structpb.NewNumberValue(float64(proto.Size(cp)))
	if n%3 == 0 {
		b, err := protojson.Marshal(cp)
		if err != nil {
			return nil, err
		}
		var back structpb.Struct
		if err := protojson.Unmarshal(b, &back); err != nil {
			return nil, err
		}
	}
	if n%5 == 0 {
		_ = prototext.Format(cp)
		_ = proto.Equal(cp, st)
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(cp)
	sum := sha256.Sum256(b)
	return append(b, []byte(strings.Repeat(hex.EncodeToString(sum[:]), 1+n/64))...), err
}

func (s *svc) StreamingOutputCall(r *pb.StreamingOutputCallRequest, st grpc.ServerStreamingServer[pb.StreamingOutputCallResponse]) error {
	for _, p := range r.ResponseParameters {
		b, err := s.work("out", int(p.Size))
		if err != nil {
			return err
		}
		if err := st.Send(&pb.StreamingOutputCallResponse{Payload: &pb.Payload{Body: b}}); err != nil {
			return err
		}
	}
	return nil
}

func (s *svc) StreamingInputCall(st grpc.ClientStreamingServer[pb.StreamingInputCallRequest, pb.StreamingInputCallResponse]) error {
	n := 0
	for {
		m, err := st.Recv()
		if err == io.EOF {
			return st.SendAndClose(&pb.StreamingInputCallResponse{AggregatedPayloadSize: int32(n)})
		}
		if err != nil {
			return err
		}
		n += len(m.GetPayload().GetBody())
	}
}

func (s *svc) FullDuplexCall(st grpc.BidiStreamingServer[pb.StreamingOutputCallRequest, pb.StreamingOutputCallResponse]) error {
	for {
		m, err := st.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b, err := s.work(string(m.GetPayload().GetBody()), 96)
		if err != nil {
			return err
		}
		if err := st.Send(&pb.StreamingOutputCallResponse{Payload: &pb.Payload{Body: b}}); err != nil {
			return err
		}
	}
}

func (s *svc) auth(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	u := md.Get("user")
	if len(u) == 0 {
		return nil, status.Error(codes.Unauthenticated, "no user")
	}
	s.mu.Lock()
	s.quota[u[0]]++
	s.mu.Unlock()
	return next(ctx, req)
}

func (s *svc) logged(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	t := time.Now()
	res, err := next(ctx, req)
	fmt.Fprintf(io.Discard, "%s %v %v\n", info.FullMethod, time.Since(t), status.Code(err))
	if m, ok := res.(proto.Message); ok {
		_ = proto.Size(m)
	}
	return res, err
}

func (s *svc) streamLogged(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	err := next(srv, ss)
	fmt.Fprintf(io.Discard, "%s %v\n", info.FullMethod, err)
	return err
}

func client(addr string) {
	var wg sync.WaitGroup
	for c := 0; c < 3; c++ {
		cc, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			panic(err)
		}
		cl := pb.NewTestServiceClient(cc)
		for g := 0; g < 6; g++ {
			wg.Add(1)
			go func(seed int64) {
				defer wg.Done()
				rng := rand.New(rand.NewSource(seed))
				fails := 0
				for fails < 40 {
					ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
					ctx = metadata.AppendToOutgoingContext(ctx, "user", fmt.Sprintf("u%d", rng.Intn(30)))
					var err error
					pay := &pb.Payload{Body: []byte(fmt.Sprintf("key-%d", rng.Intn(900)))}
					switch k := rng.Intn(100); {
					case k < 60:
						var opts []grpc.CallOption
						if rng.Intn(3) == 0 {
							opts = append(opts, grpc.UseCompressor("gzip"))
						}
						_, err = cl.UnaryCall(ctx, &pb.SimpleRequest{Payload: pay, ResponseSize: int32(rng.Intn(4000))}, opts...)
					case k < 66:
						cl.UnaryCall(ctx, &pb.SimpleRequest{ResponseStatus: &pb.EchoStatus{Code: 5, Message: "none"}})
					case k < 72:
						_, err = cl.EmptyCall(ctx, &pb.Empty{})
					case k < 82:
						req := &pb.StreamingOutputCallRequest{}
						for i := 0; i < 8; i++ {
							req.ResponseParameters = append(req.ResponseParameters, &pb.ResponseParameters{Size: int32(rng.Intn(2000))})
						}
						st, e := cl.StreamingOutputCall(ctx, req)
						for err = e; err == nil; {
							if _, e := st.Recv(); e != nil {
								break
							}
						}
					case k < 90:
						st, e := cl.StreamingInputCall(ctx)
						if err = e; e == nil {
							for i := 0; i < 10; i++ {
								st.Send(&pb.StreamingInputCallRequest{Payload: pay})
							}
							_, err = st.CloseAndRecv()
						}
					default:
						st, e := cl.FullDuplexCall(ctx)
						if err = e; e == nil {
							for i := 0; i < 6; i++ {
								st.Send(&pb.StreamingOutputCallRequest{Payload: pay})
								if _, err = st.Recv(); err != nil {
									break
								}
							}
							st.CloseSend()
						}
					}
					cancel()
					if err != nil {
						fails++
						time.Sleep(20 * time.Millisecond)
					}
				}
			}(int64(c*10 + g))
		}
	}
	wg.Wait()
}

func main() {
	if a := os.Getenv("PEERBENCH_CLIENT"); a != "" {
		client(a)
		return
	}
	kit.Main("rpc", func(ctx context.Context, wg *sync.WaitGroup) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		s := &svc{cache: map[string]*structpb.Struct{}, quota: map[string]int{}}
		gs := grpc.NewServer(grpc.ChainUnaryInterceptor(s.logged, s.auth), grpc.ChainStreamInterceptor(s.streamLogged))
		pb.RegisterTestServiceServer(gs, s)
		go gs.Serve(ln)
		go func() { <-ctx.Done(); gs.Stop() }()
		exe, _ := os.Executable()
		cmd := exec.CommandContext(ctx, exe)
		cmd.Env = append(os.Environ(), "PEERBENCH_CLIENT="+ln.Addr().String())
		if err := cmd.Start(); err != nil {
			panic(err)
		}
	})
}
