module go.opentelemetry.io/ebpf-profiler

go 1.26.0
