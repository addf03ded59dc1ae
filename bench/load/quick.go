package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"

	"google.golang.org/grpc"
)

// The servers of cost do as little as they can: what they take of the processors, the
// generators lack.

const quickAnswer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Length: 5\r\n\r\nhello"

// listen prints where it listens, and ends the process when its standard input ends.
func listen() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return l, nil
}

// serveQuick answers requests without a body. It takes what it reads at once for one
// request, which is so for all generators here.
func serveQuick() error {
	l, err := listen()
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			for in := make([]byte, 4<<10); ; {
				if _, err := c.Read(in); err != nil {
					return
				}
				if _, err := io.WriteString(c, quickAnswer); err != nil {
					return
				}
			}
		}()
	}
}

// echoProto describes what serveGRPC serves.
const echoProto = `syntax = "proto3";
package echo.v1;
service Echo { rpc One(Message) returns (Message); }
message Message { string text = 1; }
`

// A rawCodec passes messages on as they are.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (rawCodec) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }
func (rawCodec) Name() string                       { return "proto" }

// serveGRPC answers Echo.One with the request.
func serveGRPC() error {
	l, err := listen()
	if err != nil {
		return err
	}
	s := grpc.NewServer(grpc.ForceServerCodec(rawCodec{}))
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "echo.v1.Echo", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
		MethodName: "One",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var b []byte
			return &b, decode(&b)
		},
	}}}, nil)
	return s.Serve(l)
}
