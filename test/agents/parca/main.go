// Command parca is a program that writes its profiles through gRPC to the
// WriteRaw call of Parca's API, once.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hone-go/hone/test/agents/internal/work"
)

func main() {
	addr := flag.String("addr", "", "`host:port` of the server")
	name := flag.String("name", "", "`name` of the service")
	sent := flag.String("sent", "", "note what has been sent in this `folder`")
	flag.Parse()

	stop := work.Start()
	profiles, err := work.Profiles()
	if err != nil {
		log.Fatal(err)
	}
	stop()
	cc, err := grpc.NewClient(*addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodec(raw{}), grpc.UseCompressor("identity")))
	if err != nil {
		log.Fatal(err)
	}
	defer cc.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	// WriteRawRequest { RawProfileSeries series = 2 { LabelSet labels = 1 { Label
	// labels = 1 { name = 1; value = 2 } }; RawSample samples = 2 { raw_profile = 1 } } }
	var req []byte
	for _, p := range profiles {
		names := map[string]string{"cpu": "process_cpu", "heap": "memory"}
		kind := names[p.Kind]
		if kind == "" {
			kind = p.Kind
		}
		var labels []byte
		for _, l := range [][2]string{{"__name__", kind}, {"job", *name}, {"instance", "host-1"}} {
			labels = message(labels, 1, message(message(nil, 1, []byte(l[0])), 2, []byte(l[1])))
		}
		req = message(req, 2, message(message(nil, 1, labels), 2, message(nil, 1, p.Data)))
	}
	var res []byte
	if err := cc.Invoke(ctx, "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw", &req, &res); err != nil {
		log.Fatal(err)
	}
	for _, p := range profiles {
		if err := work.Sent(*sent, p.Kind, p.Data); err != nil {
			log.Fatal(err)
		}
	}
}

// message appends a field to an encoded message.
func message(b []byte, field protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), data)
}

// raw sends messages that are encoded already.
type raw struct{}

func (raw) Name() string                       { return "proto" }
func (raw) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }
