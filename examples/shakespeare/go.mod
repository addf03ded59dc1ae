module github.com/hone-go/hone/examples/shakespeare

go 1.26.0

require (
	connectrpc.com/connect v1.21.1
	github.com/hone-go/hone v0.0.0
	github.com/hone-go/hone/agent v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace (
	github.com/hone-go/hone => ../..
	github.com/hone-go/hone/agent => ../../agent
)
