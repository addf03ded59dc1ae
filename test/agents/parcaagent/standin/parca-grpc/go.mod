module buf.build/gen/go/parca-dev/parca/grpc/go

go 1.26.0

require (
	buf.build/gen/go/parca-dev/parca/protocolbuffers/go v1.36.11-20260225102827-5fda07223114.1
	google.golang.org/grpc v1.84.0
)
