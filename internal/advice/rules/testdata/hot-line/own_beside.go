package hotline

import "strings"

func words(text string, more []string) (all []string) {
	for w := range strings.FieldsSeq(text) {
		// want look: Also hot: line 9 (12.5 %, growing a slice) and line 10 (12.5 %, comparing memory). (end)
		w = strings.ToUpper(w) // hot: strings.ToUpper
		all = append(all, w)   // hot: runtime.growslice
		if w == more[0] {      // hot: runtime.memequal
			break
		}
	}
	return all
}
