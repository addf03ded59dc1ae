package grpcload

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// echoFiles are the types of testdata/echo.proto.
func echoFiles(tb testing.TB) *protoregistry.Files {
	tb.Helper()
	files, err := compileProtos(context.Background(), []string{"testdata/echo.proto"}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

func echoService(tb testing.TB, files *protoregistry.Files) protoreflect.ServiceDescriptor {
	tb.Helper()
	d, err := files.FindDescriptorByName("echo.v1.Echo")
	if err != nil {
		tb.Fatal(err)
	}
	return d.(protoreflect.ServiceDescriptor)
}

// An echo is grpc-go's server of echo.v1.Echo.
type echo struct {
	files   *protoregistry.Files
	service protoreflect.ServiceDescriptor
	// seen is called with each request that came; it may be nil.
	seen func(ctx context.Context, request *dynamicpb.Message)
}

func newEcho(tb testing.TB) *echo {
	files := echoFiles(tb)
	return &echo{files: files, service: echoService(tb, files)}
}

func number(m protoreflect.Message, name protoreflect.Name) int {
	return int(m.Get(m.Descriptor().Fields().ByName(name)).Int())
}

// answer returns the reply to a request, after its delay.
func (e *echo) answer(ctx context.Context, m *dynamicpb.Message) (*dynamicpb.Message, error) {
	if e.seen != nil {
		e.seen(ctx, m)
	}
	reply := dynamicpb.NewMessage(e.service.Methods().ByName("One").Output())
	text := reply.Descriptor().Fields().ByName("text")
	fields := m.Descriptor().Fields()
	if fields.ByName("code") == nil {
		reply.Set(text, m.Get(fields.ByName("value")))
		return reply, nil
	}
	if d := number(m, "delay_ms"); d > 0 {
		select {
		case <-time.After(time.Duration(d) * time.Millisecond):
		case <-ctx.Done():
			return nil, status.FromContextError(ctx.Err()).Err()
		}
	}
	if code := number(m, "code"); code > 0 {
		return nil, status.Error(codes.Code(code), "as asked: \"é\" %")
	}
	reply.Set(text, protoreflect.ValueOfString(m.Get(fields.ByName("text")).String()+strings.Repeat("x", number(m, "size"))))
	return reply, nil
}

func (e *echo) stream(stream grpc.ServerStream, method protoreflect.MethodDescriptor) error {
	var reply *dynamicpb.Message
	came := int64(0)
	for {
		m := dynamicpb.NewMessage(method.Input())
		err := stream.RecvMsg(m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		came++
		if reply, err = e.answer(stream.Context(), m); err != nil {
			return err
		}
		replies := 0
		switch method.Name() {
		case "Down":
			replies = number(m, "count")
		case "Both":
			replies = 1
		}
		for range replies {
			if err := stream.SendMsg(reply); err != nil {
				return err
			}
		}
		if method.Name() == "Down" {
			return nil
		}
	}
	if method.Name() == "Up" {
		reply = dynamicpb.NewMessage(method.Output())
		reply.Set(method.Output().Fields().ByName("count"), protoreflect.ValueOfInt64(came))
		return stream.SendMsg(reply)
	}
	return nil
}

// describe returns the service as grpc-go takes it.
func (e *echo) describe() *grpc.ServiceDesc {
	d := &grpc.ServiceDesc{ServiceName: string(e.service.FullName()), HandlerType: (*any)(nil), Metadata: e.service.ParentFile().Path()}
	for i := range e.service.Methods().Len() {
		m := e.service.Methods().Get(i)
		if !m.IsStreamingClient() && !m.IsStreamingServer() {
			d.Methods = append(d.Methods, grpc.MethodDesc{MethodName: string(m.Name()),
				Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
					in := dynamicpb.NewMessage(m.Input())
					if err := decode(in); err != nil {
						return nil, err
					}
					return e.answer(ctx, in)
				}})
			continue
		}
		d.Streams = append(d.Streams, grpc.StreamDesc{StreamName: string(m.Name()), ClientStreams: m.IsStreamingClient(), ServerStreams: m.IsStreamingServer(),
			Handler: func(_ any, s grpc.ServerStream) error { return e.stream(s, m) }})
	}
	return d
}

// Versions of reflection that a server has.
const (
	withV1 = 1 << iota
	withV1Alpha
)

// serveEcho serves on a free port until the test ends.
func serveEcho(tb testing.TB, e *echo, versions int, options ...grpc.ServerOption) (s *grpc.Server, address string) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	return serveEchoOn(tb, l, e, versions, options...), l.Addr().String()
}

func serveEchoOn(tb testing.TB, l net.Listener, e *echo, versions int, options ...grpc.ServerOption) *grpc.Server {
	tb.Helper()
	s := grpc.NewServer(options...)
	s.RegisterService(e.describe(), e)
	o := reflection.ServerOptions{Services: s, DescriptorResolver: e.files}
	if versions&withV1 != 0 {
		reflectionv1.RegisterServerReflectionServer(s, reflection.NewServerV1(o))
	}
	if versions&withV1Alpha != 0 {
		reflectionv1alpha.RegisterServerReflectionServer(s, reflection.NewServer(o))
	}
	go s.Serve(l)
	tb.Cleanup(s.Stop)
	return s
}

// incoming returns the metadata that a request came with.
func incoming(ctx context.Context) metadata.MD {
	md, _ := metadata.FromIncomingContext(ctx)
	return md
}
