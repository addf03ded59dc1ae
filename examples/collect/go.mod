module github.com/hone-go/hone/examples/collect

go 1.26.0

require (
	github.com/google/pprof v0.0.0-20261016150608-1facf8f91b50
	github.com/hone-go/hone/agent v0.0.0
)

replace github.com/hone-go/hone/agent => ../../agent
