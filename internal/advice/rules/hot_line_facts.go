package rules

import (
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
)

// maxFacts limits what a finding says besides its reason.
const maxFacts = 2

// saidBy are words of sentences about hot lines that say what a rule says.
var saidBy = map[string][]string{
	"adjacent-indexes":    {"can't prove that an index"},
	"byte-loop":           {"one byte", "one element"},
	"call-twice":          {"the same arguments"},
	"deferred-call":       {"has a defer statement"},
	"hot-allocation":      {"is on the heap"},
	"large-copy":          {"copy of", "copies"},
	"loop-invariant-call": {"the same in each iteration"},
	"loop-invariant-load": {"loads"},
	"loop-stores-field":   {"loads and stores"},
	"map-twice":           {"looked up again"},
	"range-lookup":        {"searches", "goes through"},
}

// factsBeside says what is known of a line on which another rule reports a finding: the most telling of what that doesn't say.
func factsBeside(s *advice.Site, f *advice.Finding) []string {
	work := s.Work()
	ran := ranBy(work.Parts)
	all := slices.Concat(valuesOn(s, work), whatOwn(s, ran), onHeap(s), callsNotInlined(s), []string{checked(s, ran)})
	said := func(fact string) bool {
		contains := func(words string) bool { return strings.Contains(fact, words) }
		return fact == "" || slices.ContainsFunc(saidBy[f.Rule], contains)
	}
	if len(all) < maxFacts {
		all = append(all, whatCallerDoes(s, work, f.Why+" "+strings.Join(all, " ")))
	}
	all = slices.DeleteFunc(all, said)
	return all[:min(maxFacts, len(all))]
}
