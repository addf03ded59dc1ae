// Command otlp is a program that sends its profiles with the exporters of the
// OpenTelemetry Collector, through gRPC or HTTP, once.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	"github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configcompression"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/exporter/xexporter"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/hone-go/hone/test/agents/internal/work"
)

func main() {
	addr := flag.String("addr", "", "`host:port` of the server")
	name := flag.String("name", "", "`name` of the service")
	sent := flag.String("sent", "", "note what has been sent in this `folder`")
	transport := flag.String("transport", "grpc", "grpc, http or json")
	flag.Parse()

	stop := work.Start()
	profiles, err := work.Profiles()
	if err != nil {
		log.Fatal(err)
	}
	stop()

	var factory exporter.Factory
	var config component.Config
	noQueue := configoptional.None[exporterhelper.QueueBatchConfig]() // send at once, and tell what became of it
	if *transport == "grpc" {
		factory = otlpexporter.NewFactory()
		c := factory.CreateDefaultConfig().(*otlpexporter.Config)
		c.ClientConfig.Endpoint = *addr
		c.ClientConfig.TLS = configtls.ClientConfig{Insecure: true}
		c.QueueConfig = noQueue
		config = c
	} else {
		factory = otlphttpexporter.NewFactory()
		c := factory.CreateDefaultConfig().(*otlphttpexporter.Config)
		c.ClientConfig.Endpoint = "http://" + *addr
		c.ProfilesEndpoint = "http://" + *addr + "/v1development/profiles"
		c.ClientConfig.Compression = configcompression.TypeGzip
		c.QueueConfig = noQueue
		if *transport == "json" {
			c.Encoding = otlphttpexporter.EncodingJSON
		}
		config = c
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	set := exporter.Settings{ID: component.NewID(factory.Type()), TelemetrySettings: componenttest.NewNopTelemetrySettings(), BuildInfo: component.NewDefaultBuildInfo()}
	exp, err := factory.(xexporter.Factory).CreateProfiles(ctx, set, config)
	if err != nil {
		log.Fatal(err)
	}
	if err := exp.Start(ctx, componenttest.NewNopHost()); err != nil {
		log.Fatal(err)
	}
	defer exp.Shutdown(context.Background())

	data := pprofile.NewProfiles()
	c := newConverter(data.Dictionary())
	resource := data.ResourceProfiles().AppendEmpty()
	attributes := resource.Resource().Attributes()
	attributes.PutStr("service.name", *name)
	attributes.PutStr("service.version", "v1")
	attributes.PutStr("service.instance.id", "host-1")
	for _, p := range profiles {
		parsed, err := profile.ParseData(p.Data)
		if err != nil {
			log.Fatal(err)
		}
		// A scope for each, as an agent would have.
		scope := resource.ScopeProfiles().AppendEmpty()
		scope.Scope().SetName(p.Kind)
		c.add(scope.Profiles(), parsed, p.Time)
	}
	if err := exp.ConsumeProfiles(ctx, data); err != nil {
		log.Fatal(err)
	}
	for _, p := range profiles {
		if err := work.Sent(*sent, p.Kind, p.Data); err != nil {
			log.Fatal(err)
		}
	}
}

// A converter turns pprof profiles into those of OpenTelemetry.
type converter struct {
	d pprofile.ProfilesDictionary
}

func newConverter(d pprofile.ProfilesDictionary) *converter {
	d.StringTable().Append("")
	d.MappingTable().AppendEmpty()
	d.LocationTable().AppendEmpty()
	d.FunctionTable().AppendEmpty()
	d.LinkTable().AppendEmpty()
	d.AttributeTable().AppendEmpty()
	d.StackTable().AppendEmpty()
	return &converter{d}
}

// must returns an index of the dictionary.
func must(i int32, err error) int32 {
	if err != nil {
		log.Fatal(err)
	}
	return i
}

func (c *converter) text(s string) int32 { return must(pprofile.SetString(c.d.StringTable(), s)) }

// add adds a profile for each sample type of p.
func (c *converter) add(out pprofile.ProfilesSlice, p *profile.Profile, start time.Time) {
	for column, st := range p.SampleType {
		q := out.AppendEmpty()
		q.SampleType().SetTypeStrindex(c.text(st.Type))
		q.SampleType().SetUnitStrindex(c.text(st.Unit))
		q.PeriodType().SetTypeStrindex(c.text(p.PeriodType.Type))
		q.PeriodType().SetUnitStrindex(c.text(p.PeriodType.Unit))
		q.SetPeriod(p.Period)
		q.SetTime(pcommon.NewTimestampFromTime(start))
		q.SetDurationNano(uint64(p.DurationNanos))
		for _, s := range p.Sample {
			stack := pprofile.NewStack()
			for _, l := range s.Location {
				stack.LocationIndices().Append(c.location(l))
			}
			sample := q.Samples().AppendEmpty()
			sample.SetStackIndex(must(pprofile.SetStack(c.d.StackTable(), stack)))
			sample.Values().Append(s.Value[column])
			for key, values := range s.Label {
				a := pprofile.NewKeyValueAndUnit()
				a.SetKeyStrindex(c.text(key))
				a.Value().SetStr(values[0])
				sample.AttributeIndices().Append(must(pprofile.SetAttribute(c.d.AttributeTable(), a)))
			}
			for key, values := range s.NumLabel {
				a := pprofile.NewKeyValueAndUnit()
				a.SetKeyStrindex(c.text(key))
				a.Value().SetInt(values[0])
				sample.AttributeIndices().Append(must(pprofile.SetAttribute(c.d.AttributeTable(), a)))
			}
		}
	}
}

func (c *converter) location(l *profile.Location) int32 {
	loc := pprofile.NewLocation()
	loc.SetAddress(l.Address)
	if m := l.Mapping; m != nil {
		mapping := pprofile.NewMapping()
		mapping.SetMemoryStart(m.Start)
		mapping.SetMemoryLimit(m.Limit)
		mapping.SetFileOffset(m.Offset)
		mapping.SetFilenameStrindex(c.text(m.File))
		loc.SetMappingIndex(must(pprofile.SetMapping(c.d.MappingTable(), mapping)))
	}
	for _, ln := range l.Line {
		fn := pprofile.NewFunction()
		fn.SetNameStrindex(c.text(ln.Function.Name))
		fn.SetSystemNameStrindex(c.text(ln.Function.SystemName))
		fn.SetFilenameStrindex(c.text(ln.Function.Filename))
		fn.SetStartLine(ln.Function.StartLine)
		line := loc.Lines().AppendEmpty()
		line.SetFunctionIndex(must(pprofile.SetFunction(c.d.FunctionTable(), fn)))
		line.SetLine(ln.Line)
	}
	return must(pprofile.SetLocation(c.d.LocationTable(), loc))
}
