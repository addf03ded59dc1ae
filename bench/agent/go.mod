module github.com/hone-go/hone/bench/agent

go 1.26.0

require (
	github.com/grafana/pyroscope-go v1.4.3
	github.com/hone-go/hone/agent v0.0.0
)

require (
	github.com/grafana/pyroscope-go/godeltaprof v0.1.11 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
)

replace github.com/hone-go/hone/agent => ../../agent
