// Package agentgrpc counts the requests of gRPC servers for hone's agent, and labels
// the work on them with their method:
//
//	grpc.NewServer(
//		grpc.ChainUnaryInterceptor(agentgrpc.UnaryServerInterceptor()),
//		grpc.ChainStreamInterceptor(agentgrpc.StreamServerInterceptor()),
//	)
//
// It is a module of its own, so that the agent requires nothing.
package agentgrpc

import (
	"context"

	"google.golang.org/grpc"

	"github.com/hone-go/hone/agent"
)

// UnaryServerInterceptor returns an interceptor that counts each call with
// [agent.BeginRequest]. The endpoint is the full method, such as "/shop.Cart/Add".
func UnaryServerInterceptor() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		ctx, end := agent.BeginRequest(ctx, info.FullMethod)
		defer end()
		return handler(ctx, req)
	}
}

// StreamServerInterceptor does the same for streams. A stream counts as one request,
// when it begins.
func StreamServerInterceptor() grpc.StreamServerInterceptor {
	return func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		ctx, end := agent.BeginRequest(ss.Context(), info.FullMethod)
		defer end()
		return handler(srv, labelled{ss, ctx})
	}
}

// labelled is a stream with another context.
type labelled struct {
	grpc.ServerStream
	ctx context.Context
}

func (s labelled) Context() context.Context { return s.ctx }
