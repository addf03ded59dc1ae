package advisor

import (
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// ServiceKinds are the kinds of profiles of services that can be examined.
var ServiceKinds = []string{"cpu", "allocs", "heap", "mutex", "block", "goroutineleak"}

// CountOnce makes each value column of memory count once in the profiles of a service: kinds heap and allocs may both have what was allocated and
// what is in use. The first profile with a column has it.
func CountOnce(inputs []advice.Input) {
	counted := make(map[string]bool) // sample types
	for i := range inputs {
		p := inputs[i].Profile
		var kept profile.Profile
		for k, t := range p.SampleTypes {
			memory := strings.HasPrefix(t.Type, "alloc_") || strings.HasPrefix(t.Type, "inuse_")
			if memory && counted[t.Type] {
				continue
			}
			counted[t.Type] = true
			kept.SampleTypes, kept.Values = append(kept.SampleTypes, t), append(kept.Values, p.Values[k])
		}
		if len(kept.SampleTypes) < len(p.SampleTypes) {
			q := *p // which others may read
			q.SampleTypes, q.Values = kept.SampleTypes, kept.Values
			inputs[i].Profile = &q
		}
	}
}
