package grpcload

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	// Types that descriptor sets may leave out.
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/spelling"
)

// Limits of files with descriptors and with their source, in bytes.
const (
	maxProtoset = 256 << 20
	maxProto    = 16 << 20
)

func readProtosets(ctx context.Context, paths []string) (*protoregistry.Files, error) {
	var all descriptorpb.FileDescriptorSet
	for _, path := range paths {
		b, err := infile.ReadAny(ctx, path, maxProtoset)
		if err != nil {
			return nil, err
		}
		var set descriptorpb.FileDescriptorSet
		if err := proto.Unmarshal(b, &set); err != nil {
			return nil, fmt.Errorf("%s: not a descriptor set: %w", path, err)
		}
		if len(set.File) == 0 {
			return nil, fmt.Errorf("%s: not a descriptor set, or an empty one", path)
		}
		all.File = append(all.File, set.File...)
	}
	files, err := link(all.File)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(paths, ", "), err)
	}
	return files, nil
}

func compileProtos(ctx context.Context, paths, imports []string) (*protoregistry.Files, error) {
	names := slices.Clone(paths)
	if len(imports) == 0 {
		imports = []string{""}
		for i, path := range paths {
			imports = append(imports, filepath.Dir(path))
			names[i] = filepath.Base(path)
		}
	}
	read := func(path string) (io.ReadCloser, error) {
		text, err := infile.ReadAnyText(ctx, path, maxProto)
		return io.NopCloser(bytes.NewReader(text)), err
	}
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: read, ImportPaths: imports})}
	compiled, err := compiler.Compile(ctx, names...)
	if err != nil {
		return nil, err
	}
	var all []*descriptorpb.FileDescriptorProto
	var add func(f protoreflect.FileDescriptor)
	have := make(map[string]bool)
	add = func(f protoreflect.FileDescriptor) {
		if have[f.Path()] {
			return
		}
		have[f.Path()] = true
		all = append(all, protodesc.ToFileDescriptorProto(f))
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
	}
	for _, f := range compiled {
		add(f)
	}
	return link(all)
}

// link makes types of descriptors, each once. What is missing of Google's common
// ones is added.
func link(descriptors []*descriptorpb.FileDescriptorProto) (*protoregistry.Files, error) {
	have := make(map[string]bool)
	descriptors = slices.DeleteFunc(slices.Clone(descriptors), func(f *descriptorpb.FileDescriptorProto) bool {
		again := have[f.GetName()]
		have[f.GetName()] = true
		return again
	})
	for i := 0; i < len(descriptors); i++ { // it grows
		for _, name := range descriptors[i].GetDependency() {
			if have[name] {
				continue
			}
			known, err := protoregistry.GlobalFiles.FindFileByPath(name)
			if err != nil || !strings.HasPrefix(name, "google/protobuf/") {
				return nil, fmt.Errorf("%s imports %s, which is missing: call protoc with --include_imports", descriptors[i].GetName(), name)
			}
			have[name] = true
			descriptors = append(descriptors, protodesc.ToFileDescriptorProto(known))
		}
	}
	return protodesc.NewFiles(&descriptorpb.FileDescriptorSet{File: descriptors})
}

func services(files *protoregistry.Files) (names []string) {
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			names = append(names, string(f.Services().Get(i).FullName()))
		}
		return true
	})
	slices.Sort(names)
	return names
}

func noService(service string, names []string) error {
	return unknown(fmt.Sprintf("unknown service %q", service), service, names)
}

// unknown says what there is, and which of it may be meant.
func unknown(what, name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%s (none is known)", what)
	}
	best, near := "", 4
	lower := strings.ToLower(name)
	for _, n := range names {
		full := strings.ToLower(n)
		short := full[strings.LastIndexByte(full, '.')+1:]
		if d := min(spelling.Distance(full, lower), spelling.Distance(short, lower)); d < near {
			best, near = n, d
		}
	}
	if best != "" {
		return fmt.Errorf("%s; did you mean %s? (known: %s)", what, best, strings.Join(names, ", "))
	}
	return fmt.Errorf("%s (known: %s)", what, strings.Join(names, ", "))
}
