package grpcload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hone-go/hone/internal/load/template"
)

func echoMethod(t *testing.T, name protoreflect.Name) protoreflect.MethodDescriptor {
	t.Helper()
	return echoService(t, echoFiles(t)).Methods().ByName(name)
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPlans checks that what a plan gives is what JSON with the same values does.
// A plan takes random values in the order of names, so that is the order here.
func TestPlans(t *testing.T) {
	feed, err := template.ReadFeed(t.Context(), writeFile(t, "rows.jsonl",
		`{"text": "a \"quoted\" é", "n": -7, "f": 1e3, "ok": true, "object": {"text": "x"}, "b64": "AP-_"}`+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data    string
		planned bool
	}{
		{`{"text": "{{row.text}}"}`, true},
		{`{"text": "before \u00e9\n {{row.text}} {{hex 200}} after", "count": 3}`, true},
		{`{"code": {{row.n}}, "delayMs": "{{int 5 90}}", "size": {{row.f}}}`, true},
		{`{"big": "{{int -9223372036854775808 9223372036854775807}}", "huge": {{int 0 9223372036854775807}}, "small": {{int 0 4294967295}}}`, true},
		{`{"zigzag": {{row.n}}, "fixed": {{int 0 99}}, "sfixed": {{row.n}}}`, true},
		{`{"number": "{{float 0 1 15}}", "single": {{float -1 1}}}`, true},
		{`{"number": "{{one "NaN" "Infinity" "-Infinity" "1e300"}}"}`, true},
		{`{"flag": {{row.ok}}, "raw": "{{row.b64}}"}`, true},
		{`{"raw": "{{one "AA==" "AAA" "/+8="}}"}`, true},
		{`{"colour": "{{one "RED" "BLUE"}}"}`, true},
		{`{"colour": {{int -2 5}}}`, true},
		{`{"inner": {"text": "{{n}}", "inner": {"count": {{n}}, "inner": {}}}, "text": "static"}`, true},
		{`{"numbers": [1, {{n}}, 3, "{{row.n}}"], "list": [{"text": "a"}, {"text": "{{n}}"}, {}]}`, true},
		{`{"named": {"a": {{n}}, "{{hex 3}}": 7}, "numbered": {"1": {"text": "{{n}}"}, "{{int 2 9}}": {}}}`, true},
		{`{"wrapped": "{{int 1 9}}", "at": "2026-01-02T03:04:05Z"}`, true},
		{`{"right": {{row.ok}}}`, true},
		{`{"at": "{{time}}"}`, false},
		{`{"inner": {{row.object}}, "text": "{{n}}"}`, false},
		{`{"{{one "text"}}": "x"}`, false},
		{`{{row.object}}`, false},
	} {
		s, err := parseSource("data", test.data, feed)
		if err != nil {
			t.Errorf("%s: %v", test.data, err)
			continue
		}
		method := echoMethod(t, "One")
		m := &messages{input: method.Input(), types: anyTypes(method.ParentFile())}
		d := s.whole()
		one, err := m.compile(d, Options{Feed: feed})
		if err != nil {
			t.Errorf("%s: %v", test.data, err)
			continue
		}
		if (one.plan != nil) != test.planned || (one.json == nil) != test.planned {
			t.Errorf("%s: by a plan: %v", test.data, one.plan != nil)
		}
		v := newRequestValues()
		for n := range int64(100) {
			var got [2]*dynamicpb.Message
			for i, by := range []requestMessage{one, {json: &d}} {
				v.set(n, 1, uint64(n), feed)
				m.all = []requestMessage{by}
				b, err := m.append(nil, v)
				if err != nil {
					t.Fatalf("%s: %v", test.data, err)
				}
				got[i] = dynamicpb.NewMessage(m.input)
				if err := proto.Unmarshal(b[5:], got[i]); err != nil {
					t.Fatalf("%s: %v", test.data, err)
				}
			}
			if !strings.Contains(test.data, "{{time}}") && !strings.Contains(test.data, "named") && !proto.Equal(got[0], got[1]) {
				t.Fatalf("%s: by plan %v, by JSON %v", test.data, got[0], got[1])
			}
		}
	}
}

func TestMismatches(t *testing.T) {
	feed, err := template.ReadFeed(t.Context(), writeFile(t, "rows.csv", "name,n\nlove,1\nhate,x\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ method, data, want string }{
		{"One", `{"txt": "love"}`, `data:1:2: unknown field "txt"`},
		{"One", "{\n  \"text\": \"love\",\n  \"count\": \"é\"\n}", `data:3:12: invalid value for int32 field count: "é"`},
		{"One", `{"text": "{{n}}", "txt": 1}`, `data:1:19: unknown field "txt"`},
		{"One", `{"text": "{{letters 50}}", "count": true}`, `data:1:37: invalid value for int32 field count: true`},
		{"One", `{"count": {{letters 3}}}`, `data:1:11: `},
		{"One", `{"count": "{{letters 3}}"}`, `data:1:11: invalid value for int32 field count: "`},
		{"One", `{"count": 1{{int 0 9}}}`, `data:1:12: quote a template within a number or word`},
		{"One", `{"text": "{{row.name}}", "count": {{row.n}}}`, `data, row 2 of the feed: count: invalid int32 "x"`},
		{"One", `{"text": "{{n}}", "inner": {"number": {{row.n}}}}`, `data, row 2 of the feed: inner.number: invalid double "x"`},
		{"One", `{"inner": {"big": "x"}}`, `data:1:19: invalid value for int64 field big: "x", at inner.big`},
		{"One", `{"inner": {"bug": 1}, "text": "{{n}}"}`, `data:1:12: unknown field "bug", at inner.bug`},
		{"One", `{"text": "{{row.nome}}"}`, `data:1:13: `},
		{"One", `{"text": "{{nope}}"}`, `data:1:13: unknown function {{nope}}`},
		{"One", `{"text": "a"`, `data:1:13: unexpected EOF`},
		{"One", `{"text": "a"} {}`, `data:1:15: unexpected token {`},
		{"One", `[{"text": "a"}]`, `data:1:1: unexpected token [`},
		{"One", `{"left": "a", "right": true}`, `data:1:15: error parsing "right", oneof echo.v1.Request.either is already set`},
		{"Up", `[{"text": "a"}, {"txt": "{{n}}"}]`, `data:1:18: unknown field "txt"`},
		{"Up", "{}\n\n{\"text\": \"{{n}}\", \"txt\": 1}", `data:3:19: unknown field "txt"`},
		{"Up", "{}\n{\"text\": tru}", `data:2:`},
		{"Up", `[{}, {}`, `data:1:8: unexpected end of JSON`},
		{"Up", `[{}] {}`, `data:1:5: unexpected text after the array`},
		{"Word", `{"value": "x"}`, `data:1:1: `},
	} {
		_, err := newMessages(echoMethod(t, protoreflect.Name(test.method)), Options{DataName: "data", Data: test.data, Feed: feed})
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), test.want) {
			t.Errorf("%s: %v, want %s", test.data, err, test.want)
		}
	}
}

// TestLiteral checks that a request which is no template is taken as it is.
func TestLiteral(t *testing.T) {
	for _, method := range []protoreflect.Name{"One", "Up"} {
		m, err := newMessages(echoMethod(t, method), Options{Data: `{"text": "{{n}} {{nope"}`, Literal: true})
		if err != nil || !m.static || !strings.HasSuffix(string(m.body), "{{n}} {{nope") {
			t.Errorf("%s: %v, %q", method, err, m.body)
		}
	}
}

// TestAllocations checks that requests are filled in without any.
func TestAllocations(t *testing.T) {
	o := echoOptions("127.0.0.1:1", "One", `{"text": "{{letters 9}} {{n}}", "count": {{int 1 9}}, "inner":
		{"big": "{{int 1 9}}", "number": {{float 0 1}}}, "colour": "{{one "RED" "BLUE"}}"}`)
	o.Metadata = []string{"x: {{uuid}}"}
	d := newDriver(t, o)
	k := newCall(nil, d.route)
	if n := testing.AllocsPerRun(1000, func() {
		if err := d.fill(k, 7); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a request", n)
	}
}

func TestMethods(t *testing.T) {
	_, v1 := serveEcho(t, newEcho(t), withV1)
	_, alpha := serveEcho(t, newEcho(t), withV1Alpha)
	_, none := serveEcho(t, newEcho(t), 0)
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(echoService(t, echoFiles(t)).ParentFile())}}
	b, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	protoset := writeFile(t, "echo.protoset", string(b)) // without what it imports
	set.File[0].Dependency = append(set.File[0].Dependency, "mine.proto")
	if b, err = proto.Marshal(set); err != nil {
		t.Fatal(err)
	}
	partial := writeFile(t, "partial.protoset", string(b))
	broken := writeFile(t, "broken.proto", "syntax = \"proto3\";\nmessage A {\n  int32 x = 1\n}\n")
	protos := []string{"testdata/echo.proto"}
	const methods, services = "One, Down, Up, Both, Word", "echo.v1.Echo, grpc.reflection.v1.ServerReflection"
	for _, test := range []struct {
		name string
		o    Options
		want string // error; "": none
	}{
		{"v1", Options{Address: v1}, ""},
		{"v1alpha", Options{Address: alpha}, ""},
		{"with dots", Options{Address: v1, Method: "echo.v1.Echo.Down"}, ""},
		{"with a slash", Options{Address: v1, Method: "/echo.v1.Echo/Down"}, ""},
		{"protoset", Options{Address: none, Protosets: []string{protoset}}, ""},
		{"protos", Options{Address: none, Protos: protos}, ""},
		{"protos with paths", Options{Address: none, Protos: []string{"echo.proto"}, ImportPaths: []string{"testdata"}}, ""},
		{"no reflection", Options{Address: none}, "ADDRESS: reflection: v1: grpc Unimplemented: unknown service grpc.reflection.v1.ServerReflection; v1alpha: grpc Unimplemented: unknown service grpc.reflection.v1alpha.ServerReflection; name the method's types with -proto FILE or -protoset FILE"},
		{"not there", Options{Address: "127.0.0.1:1"}, "dial tcp 127.0.0.1:1: connect: connection refused"},
		{"no service", Options{Address: v1, Method: "echo.v1.Eco/One"},
			`ADDRESS: reflection: unknown service "echo.v1.Eco"; did you mean echo.v1.Echo? (known: ` + services + ")"},
		{"without its package", Options{Address: v1, Method: "Echo/One"},
			`ADDRESS: reflection: unknown service "Echo"; did you mean echo.v1.Echo? (known: ` + services + ")"},
		{"no method", Options{Address: v1, Method: "echo.v1.Echo/Won"},
			`ADDRESS: echo.v1.Echo has no method "Won"; did you mean One? (known: ` + methods + ")"},
		{"nothing like it", Options{Address: none, Protos: protos, Method: "echo.v1.Echo/Subscribe"},
			`testdata/echo.proto: echo.v1.Echo has no method "Subscribe" (known: ` + methods + ")"},
		{"no service in protos", Options{Address: none, Protos: protos, Method: "x.Subscribers/One"},
			`testdata/echo.proto: unknown service "x.Subscribers" (known: echo.v1.Echo)`},
		{"no name", Options{Address: none, Method: "One"}, `invalid method "One": use SERVICE/METHOD, with the package of the service`},
		{"no file", Options{Address: none, Protosets: []string{"nowhere"}}, "open nowhere: no such file or directory"},
		{"no protoset", Options{Address: none, Protosets: protos}, "testdata/echo.proto: not a descriptor set"},
		{"partial", Options{Address: none, Protosets: []string{partial}},
			partial + ": echo.proto imports mine.proto, which is missing: call protoc with --include_imports"},
		{"broken proto", Options{Address: none, Protos: []string{broken}}, "broken.proto:4:1: syntax error: expecting ';'"},
		{"address", Options{Address: "localhost"}, `invalid address "localhost": use HOST:PORT or unix:PATH`},
		{"both", Options{Address: none, Protos: protos, Protosets: []string{protoset}},
			"use either descriptor sets or .proto files, not both"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.o.Method == "" {
				test.o.Method = "echo.v1.Echo/One"
			}
			d, err := New(t.Context(), test.o)
			want := strings.ReplaceAll(test.want, "ADDRESS", test.o.Address)
			switch {
			case want == "" && err != nil:
				t.Error(err)
			case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
				t.Errorf("%v\nwant %s", err, want)
			case want == "" && !strings.HasPrefix(d.Method(), "echo.v1.Echo/"):
				t.Errorf("method %s", d.Method())
			}
		})
	}
}
