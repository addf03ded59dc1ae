// Package grpcload is the driver of loads over gRPC.
//
//	Options    what to call, how, and with which request
//	New        finds the method, and checks the request against its types
//	Driver     opens connections with one call at a time, for closed loops
//	Sender     makes many calls at a time over a few connections, for open ones
//	conn       HTTP/2, as far as calls need it
//	messages   requests: encoded once, or by a plan that fills in what differs
//
// # Why a client of its own
//
// What a generator computes, the service on the same machine lacks, and a
// goroutine for each call under way is memory that grows with the service's delay.
// A unary call takes 4 to 7 µs of the processor here, 30 to 43 µs of grpc-go with
// a codec that passes bytes on, and 190 to 220 µs of ghz (BenchmarkCall, in turns
// on a busy machine): frames go out together, headers are compressed once, and
// answers are counted, not decoded. grpc-go would be cheaper than ghz, too; it is
// what the tests call against.
package grpcload
