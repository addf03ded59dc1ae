package parca

import (
	"strings"

	"github.com/hone-go/hone/internal/ingest/parca/parcapb"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
)

// Protocol is the name of this protocol for the Receiver.
const Protocol = "parca"

const service = "/parca.profilestore.v1alpha1.ProfileStoreService/"

// vocabulary has the labels that Parca's agents and scrape configurations use.
// Parca has no label of its own for the service.
var vocabulary = wire.Vocabulary{
	Service:  []string{"service_name", "service", "job", "app", "container", "comm"},
	Version:  []string{"version", "service_version", "app_kubernetes_io_version"},
	Zone:     []string{"zone", "availability_zone", "topology_kubernetes_io_zone"},
	Instance: []string{"instance", "pod", "node", "hostname"},
	Synonyms: []string{"service_name", "service_version", "availability_zone"},
	Dropped:  func(name string) bool { return strings.HasPrefix(name, "__") },
}

// ofProcess reports whether a label of an Arrow record identifies a process: the
// labels of the vocabulary, and those that divide fleets. Others are labels of
// samples: the thread, the CPU, and the programs' own labels, which can have any
// number of values.
func ofProcess(name string) bool {
	switch name {
	case "namespace", "cluster", "region", "environment", "env", "team", store.LabelKind:
		return true
	}
	return vocabulary.Names(name) || strings.HasPrefix(name, "app_kubernetes_io_")
}

// kinds maps profile names of Parca's agents and scraper to hone's kinds. Other
// names are kinds as they are.
var kinds = map[string]string{
	"process_cpu": "cpu", "parca_agent_cpu": "cpu", "parca_agent": "cpu",
	"goroutines": "goroutine",
	"fgprof":     "wall",
	"memory":     "", // the sample types decide
}

// translate returns the labels of a series with hone's names, and its kind.
func translate(pairs []*parcapb.Label) (labels []store.Label, kind string, err error) {
	labels, kind, err = wire.SeriesLabels(pairs)
	if err != nil {
		return nil, "", err
	}
	if known, ok := kinds[kind]; ok {
		kind = known
	}
	return vocabulary.Translate(labels), kind, nil
}
