// Command spans is a program with OpenTelemetry's SDK, otel-profiling-go and Pyroscope's agent
// for Go, as their users write it. It works in spans, and prints their IDs. It ends when its
// standard input does.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	otelpyroscope "github.com/grafana/otel-profiling-go"
	"github.com/grafana/pyroscope-go"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

func main() {
	addr := flag.String("addr", "", "`URL` of the server")
	name := flag.String("name", "", "`name` of the application")
	flag.Parse()
	profiler, err := pyroscope.Start(pyroscope.Config{
		ApplicationName: *name,
		ServerAddress:   *addr,
		UploadRate:      time.Second,
		Tags:            map[string]string{"hostname": "host-1"},
		Logger:          pyroscope.StandardLogger,
		ProfileTypes:    []pyroscope.ProfileType{pyroscope.ProfileCPU},
	})
	if err != nil {
		log.Fatal(err)
	}
	tracer := otelpyroscope.NewTracerProvider(sdktrace.NewTracerProvider()).Tracer("shop")
	// Each is busy for several samples of 10 ms, in more than one profile.
	ctx, root := tracer.Start(context.Background(), "GET /cart")
	cart(time.Second)
	_, child := tracer.Start(ctx, "price")
	price(time.Second)
	child.End()
	root.End()
	fmt.Println("cart", root.SpanContext().SpanID(), root.SpanContext().TraceID())

	_, root = tracer.Start(context.Background(), "GET /")
	home(time.Second)
	root.End()
	fmt.Println("home", root.SpanContext().SpanID(), root.SpanContext().TraceID())

	// As otel-profiling-go did before version 0.5, and as programs do without it.
	const id = "00000000000000aa"
	pyroscope.TagWrapper(context.Background(), pyroscope.Labels("profile_id", id), func(context.Context) { old(time.Second) })
	fmt.Println("old", id, "-")
	if err := profiler.Stop(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("sent")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

//go:noinline
func cart(d time.Duration) { busy(d) }

//go:noinline
func price(d time.Duration) { busy(d) }

//go:noinline
func home(d time.Duration) { busy(d) }

//go:noinline
func old(d time.Duration) { busy(d) }

// busy takes a time, part of it of the CPU, however busy the machine is.
func busy(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		for range 1000 {
			sink++
		}
	}
}

var sink int
