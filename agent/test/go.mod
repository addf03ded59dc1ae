module github.com/hone-go/hone/agent/test

go 1.26.0

require (
	github.com/google/pprof v0.0.0-20261016150608-1facf8f91b50
	github.com/hone-go/hone v0.0.0
	github.com/hone-go/hone/agent v0.0.0
)

require github.com/klauspost/compress v1.20.3 // indirect

replace (
	github.com/hone-go/hone => ../..
	github.com/hone-go/hone/agent => ..
)
