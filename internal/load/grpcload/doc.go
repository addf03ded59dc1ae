// Package grpcload sends gRPC calls for package load.
//
//	Options    say what to call, how, and with which request
//	New        finds the method, and checks the request against its types
//	Driver     opens connections with one call at once, for closed loops
//	Sender     makes many calls in parallel over a few connections, for open loops
//	conn       is as much of HTTP/2 (RFC 9113) as calls need
//	messages   are requests: encoded once, or by a plan that fills in what differs
//
// The protocol is gRPC over HTTP/2
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
//
// # Why it has its own client
//
// CPU time that a generator uses is missing for the service on the same machine. And
// with a goroutine for each call under way, memory grows when the service slows down.
// A unary call takes 4 to 7 µs of CPU time here, 30 to 43 µs with grpc-go and a codec
// that passes bytes on, and 190 to 220 µs with ghz (BenchmarkCall, interleaved on a
// busy machine). This client writes frames together, compresses headers once, and
// counts answers without decoding them. The tests run it against grpc-go's server.
package grpcload
