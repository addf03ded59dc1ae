package silent

import "strings"

var all = strings.NewReplacer("a", "b")

func replace(s, from, to string, pairs []string) string {
	s = all.Replace(s)                                // hot: strings.(*Replacer).buildOnce
	s = strings.NewReplacer(from, to).Replace(s)      // hot: strings.NewReplacer
	s = strings.NewReplacer(pairs...).Replace(s)      // hot: strings.NewReplacer
	r := strings.NewReplacer("x", strings.ToLower(s)) // hot: strings.NewReplacer
	return r.Replace(s)                               // hot: strings.(*Replacer).buildOnce
}

func init() {
	all = strings.NewReplacer("c", "d") // hot: strings.NewReplacer
}
