package grpcload

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Fields of grpc.reflection.v1.ServerReflectionRequest and …Response; those of
// v1alpha are the same.
const (
	askFile     = 3
	askSymbol   = 4
	askServices = 7

	answerFiles    = 4
	answerServices = 6
	answerError    = 7
)

// maxFiles is how many descriptors of files are taken from a server at most.
const maxFiles = 10_000

// reflect asks the server for the types of a service.
func reflect(ctx context.Context, d *dialer, service string) (*protoregistry.Files, error) {
	c, err := d.dial(ctx)
	if err != nil {
		return nil, err
	}
	r := &dialog{opts: d.opts, client: &client{dialer: d, conn: c}}
	defer r.client.close()
	files, err := r.files(ctx, service)
	if err != nil {
		return nil, fmt.Errorf("%s: reflection: %w", d.opts.Address, err)
	}
	return files, nil
}

// A dialog is one with a server's reflection.
type dialog struct {
	opts    Options
	client  *client
	version string // that the server has; "": not known yet
}

func (r *dialog) files(ctx context.Context, service string) (*protoregistry.Files, error) {
	answers, err := r.ask(ctx, question(askSymbol, service))
	if err != nil {
		return nil, err
	}
	var all []*descriptorpb.FileDescriptorProto
	have, asked := make(map[string]bool), make(map[string]bool)
	for {
		for _, a := range answers {
			switch {
			case a.err != nil && len(all) == 0:
				names, err := r.services(ctx)
				if err != nil || slices.Contains(names, service) {
					return nil, a.err
				}
				return nil, noService(service, names)
			case a.err != nil:
				return nil, a.err
			}
			for _, b := range a.files {
				f := &descriptorpb.FileDescriptorProto{}
				if err := proto.Unmarshal(b, f); err != nil {
					return nil, fmt.Errorf("invalid descriptor of a file: %w", err)
				}
				if !have[f.GetName()] {
					have[f.GetName()] = true
					all = append(all, f)
				}
			}
		}
		var missing [][]byte
		for _, f := range all {
			for _, name := range f.GetDependency() {
				if !have[name] && !asked[name] {
					asked[name] = true
					missing = append(missing, question(askFile, name))
				}
			}
		}
		if len(missing) == 0 {
			return link(all)
		}
		if len(asked) > maxFiles {
			return nil, fmt.Errorf("the service needs more than %d files: name its types with -proto FILE or -protoset FILE", maxFiles)
		}
		if answers, err = r.ask(ctx, missing...); err != nil {
			return nil, err
		}
	}
}

func (r *dialog) services(ctx context.Context) ([]string, error) {
	answers, err := r.ask(ctx, question(askServices, ""))
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	slices.Sort(answers[0].services)
	return answers[0].services, answers[0].err
}

func question(field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, field, protowire.BytesType), text)
}

// ask sends questions and returns the answers to them.
func (r *dialog) ask(ctx context.Context, questions ...[]byte) ([]reflectionAnswer, error) {
	var body []byte
	for _, q := range questions {
		body = appendMessage(body, false, q)
	}
	versions := []string{r.version}
	if r.version == "" {
		versions = []string{"v1", "v1alpha"}
	}
	// A server, or a proxy before it, that has the one alone may say anything of the other.
	var failed []string
	for _, v := range versions {
		kept, err := r.call(ctx, v, body)
		if err == nil {
			r.version = v
			return parseAnswers(kept)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		failed = append(failed, fmt.Sprintf("%s: %v", v, err))
	}
	return nil, fmt.Errorf("%s; name the method's types with -proto FILE or -protoset FILE", strings.Join(failed, "; "))
}

func (r *dialog) call(ctx context.Context, version string, body []byte) ([]byte, error) {
	o := r.opts
	o.Gzip = false
	same, _, err := o.metadata() // who may ask may be known by it
	if err != nil {
		return nil, err
	}
	fields := o.fields("/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo")
	k := newCall(r.client, &route{slices.Concat(fields, same), true})
	k.body, k.keep = body, true
	r.client.call = k
	err = r.client.do(ctx)
	return k.kept, err
}

// A reflectionAnswer is the server's answer to one question.
type reflectionAnswer struct {
	files    [][]byte
	services []string
	err      error
}

func parseAnswers(b []byte) (answers []reflectionAnswer, err error) {
	for len(b) > 0 { // whole messages: verdict saw to that
		n := binary.BigEndian.Uint32(b[1:])
		a, err := parseAnswer(b[5 : 5+n])
		if err != nil {
			return nil, err
		}
		answers, b = append(answers, a), b[5+n:]
	}
	return answers, nil
}

func parseAnswer(b []byte) (a reflectionAnswer, err error) {
	err = eachField(b, func(field protowire.Number, v []byte) error {
		switch field {
		case answerFiles:
			return eachField(v, func(field protowire.Number, v []byte) error {
				if field == 1 {
					a.files = append(a.files, v)
				}
				return nil
			})
		case answerServices:
			return eachField(v, func(field protowire.Number, v []byte) error {
				if field != 1 {
					return nil
				}
				return eachField(v, func(field protowire.Number, v []byte) error {
					if field == 1 {
						a.services = append(a.services, string(v))
					}
					return nil
				})
			})
		case answerError:
			return eachField(v, func(field protowire.Number, v []byte) error {
				if field == 2 {
					a.err = fmt.Errorf("%s", v)
				}
				return nil
			})
		}
		return nil
	})
	return a, err
}

// eachField calls f with the fields of a message that have a length.
func eachField(b []byte, f func(protowire.Number, []byte) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if kind == protowire.BytesType {
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return protowire.ParseError(n)
			}
			if err := f(number, v); err != nil {
				return err
			}
			b = b[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
	}
	return nil
}
