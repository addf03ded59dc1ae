// Package pyroscope takes what agents send to Pyroscope, and answers what
// Grafana's data source asks it.
//
// Profiles come in by POST /ingest, as the agents of many languages send them,
// and by push.v1.PusherService/Push through gRPC, gRPC-Web and Connect, as
// Grafana Alloy does. Queries are querier.v1.QuerierService, likewise, and the
// older GET /pyroscope/render, /render-diff and /label-values.
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
	// Labels with underscores on both sides are between agents and server. The
	// scope is the agent's own name and version: it tells the profiles of one
	// process apart for no good.
	Dropped: func(name string) bool {
		return strings.HasPrefix(name, "__") || name == "otel.scope.name" || name == "otel.scope.version"
	},
}

const (
	labelName        = wire.NameLabel
	labelServiceName = "service_name"
	labelSession     = "__session_id__"
)

// kinds are Pyroscope's names of kinds of profiles in hone's words. The name
// that profiles of a kind are queried by is the first one.
var kinds = []struct{ name, kind string }{
	{"process_cpu", "cpu"},
	{"cpu", "cpu"},
	{"memory", "heap"},
	{"goroutine", "goroutine"},
	{"goroutines", "goroutine"},
	{"fgprof", "wall"},
	{"memory", "allocs"},
}

// kindOf returns the kind of profiles that are pushed with a name; "" is told by
// the sample types.
func kindOf(name string) string {
	if name == "memory" {
		return "" // heap, or allocs alone
	}
	for _, k := range kinds {
		if k.name == name {
			return k.kind
		}
	}
	return name
}

// kindsOf returns the kinds that profiles of a name may be of.
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

// nameOf returns the name of a kind.
func nameOf(kind string) string {
	i := slices.IndexFunc(kinds, func(k struct{ name, kind string }) bool { return k.kind == kind })
	if i < 0 {
		return kind
	}
	return kinds[i].name
}
