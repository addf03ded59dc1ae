package scrape

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/store"
)

// Targets with the same labels are one series in every query. Each is scraped, and
// its counters are subtracted, on its own anyway.

// clashesOf returns what is wrong with targets whose profiles of a kind have the same
// labels, by labels.
func clashesOf(jobs []*activeJob) map[string]string {
	type series struct{ labels, kind string }
	urls := map[series]map[string]bool{}
	clashes := map[string]string{}
	for _, j := range jobs {
		for _, t := range j.targets {
			labels, url := store.Labels(t.labels).String(), t.base.String()
			for _, name := range j.ordered {
				of := series{labels, j.Profiles[name].Kind}
				if urls[of] == nil {
					urls[of] = map[string]bool{}
				}
				if urls[of][url] = true; len(urls[of]) > 1 && clashes[labels] == "" {
					both := slices.Sorted(maps.Keys(urls[of]))
					clashes[labels] = fmt.Sprintf("%s have the same labels %s: give each target its own instance", strings.Join(both, " and "), labels)
				}
			}
		}
	}
	return clashes
}
