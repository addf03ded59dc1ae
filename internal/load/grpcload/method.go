package grpcload

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// findMethod returns the method that the dialer's Options name. Without files that describe
// it, the server is asked.
func findMethod(ctx context.Context, d *dialer) (protoreflect.MethodDescriptor, error) {
	name := strings.TrimPrefix(d.opts.Method, "/")
	at := strings.LastIndexByte(name, '/')
	if at < 0 {
		at = strings.LastIndexByte(name, '.')
	}
	if at <= 0 || at == len(name)-1 {
		return nil, fmt.Errorf("invalid method %q: use SERVICE/METHOD, with the package of the service", d.opts.Method)
	}
	service, method := name[:at], name[at+1:]
	var files *protoregistry.Files
	var where string
	var err error
	switch {
	case len(d.opts.Protosets) > 0:
		where = strings.Join(d.opts.Protosets, ", ")
		files, err = readProtosets(ctx, d.opts.Protosets)
	case len(d.opts.Protos) > 0:
		where = strings.Join(d.opts.Protos, ", ")
		files, err = compileProtos(ctx, d.opts.Protos, d.opts.ImportPaths)
	default:
		where = d.opts.Address
		files, err = reflect(ctx, d, service)
	}
	if err != nil {
		return nil, err
	}
	found, err := files.FindDescriptorByName(protoreflect.FullName(service))
	s, ok := found.(protoreflect.ServiceDescriptor)
	if err != nil || !ok {
		return nil, fmt.Errorf("%s: %w", where, noService(service, services(files)))
	}
	if m := s.Methods().ByName(protoreflect.Name(method)); m != nil {
		return m, nil
	}
	var names []string
	for i := range s.Methods().Len() {
		names = append(names, string(s.Methods().Get(i).Name()))
	}
	return nil, unknown(fmt.Sprintf("%s: %s has no method %q", where, service, method), method, names)
}
