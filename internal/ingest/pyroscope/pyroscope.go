// Package pyroscope accepts profiles that agents send to Pyroscope, and answers
// queries of Grafana's data source.
//
// Agents of many languages send profiles with POST /ingest. Grafana Alloy calls
// push.v1.PusherService/Push over gRPC, gRPC-Web or Connect. Queries are calls of
// querier.v1.QuerierService, and the older GET /pyroscope/render, /render-diff, /labels
// and /label-values.
//
// Data flows one way through the files:
//
//	push, ingest                      profiles on their way in
//	types, labels, frames, select     which profiles and samples a query means
//	series, observe                   their totals over time; their profiles and spans
//	cut, flame, tree, dot             a profile in the format of the answer
//	calls, async, stacktraces,
//	timeseries, heatmap, analyze      the calls
//	query, render, services           the services that have these calls
package pyroscope

import (
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/ingest/wire"
)

// Protocol is the name of this protocol for the Receiver.
const Protocol = "pyroscope"

// vocabulary has the labels that the agents and their users set.
var vocabulary = wire.Vocabulary{
	Service:  []string{labelServiceName, "service"},
	Version:  []string{"version", "service_version", "service.version", "app_version"},
	Zone:     []string{"zone", "availability_zone", "cloud.availability_zone", "cloud_availability_zone", "topology_kubernetes_io_zone"},
	Instance: []string{"instance", "service_instance_id", "service.instance.id", "pod", "hostname", "host"},
	Synonyms: []string{labelServiceName, "service_version", "service.version", "availability_zone", "cloud.availability_zone", "cloud_availability_zone",
		"service_instance_id", "service.instance.id"},
	// Labels that begin with two underscores are for the server. The scope is the
	// agent's name and version, which would split the profiles of a process without
	// need.
	Dropped: func(name string) bool {
		return strings.HasPrefix(name, "__") || name == "otel.scope.name" || name == "otel.scope.version"
	},
}

const (
	labelName        = wire.NameLabel
	labelServiceName = "service_name"
	// labelPrivateService is its name among Pyroscope's internal labels.
	labelPrivateService = "__service_name__"
	labelSession        = "__session_id__"
)

// kinds maps Pyroscope's names of profiles to hone's kinds. Queries use the first
// name of a kind.
var kinds = []struct{ name, kind string }{
	{"process_cpu", "cpu"},
	{"cpu", "cpu"},
	{"memory", "heap"},
	{"goroutine", "goroutine"},
	{"goroutines", "goroutine"},
	{"fgprof", "wall"},
	{"memory", "allocs"},
}

// kindOf returns the kind of profiles that are pushed with a name. "" means that the
// sample types decide.
func kindOf(name string) string {
	if name == "memory" {
		return "" // heap, or only allocs
	}
	for _, k := range kinds {
		if k.name == name {
			return k.kind
		}
	}
	return name
}

// kindsOf returns the kinds that profiles with a name may have.
func kindsOf(name string) []string {
	var out []string
	for _, k := range kinds {
		if k.name == name {
			out = append(out, k.kind)
		}
	}
	if out == nil {
		out = append(out, name)
	}
	return out
}

// nameOf returns Pyroscope's name of a kind.
func nameOf(kind string) string {
	i := slices.IndexFunc(kinds, func(k struct{ name, kind string }) bool { return k.kind == kind })
	if i < 0 {
		return kind
	}
	return kinds[i].name
}
