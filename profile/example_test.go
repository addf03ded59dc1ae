package profile_test

import (
	"fmt"
	"log"
	"regexp"
	"strings"

	"github.com/hone-go/hone/profile"
)

// What a function costs, whoever calls it.
func Example() {
	p, err := profile.ParseFolded(strings.NewReader("main.main;main.index;main.search;strings.Index 30\nmain.main;main.search;strings.Index 20\nmain.main;main.load 50\n"), profile.DefaultLimits())
	if err != nil {
		log.Fatal(err)
	}
	p, matched := profile.ShowFrom(p, regexp.MustCompile(`^main\.search$`))
	if !matched {
		log.Fatal("main.search is not in the profile")
	}
	p = profile.Compact(p) // the two stacks have become equal
	for s := range p.NumSamples() {
		for _, l := range p.Stack(s) {
			fmt.Print(p.FunctionName(p.LocationLines(l)[0].Function), " < ")
		}
		fmt.Println(p.Values[0][s])
	}
	// Output:
	// strings.Index < main.search < 50
}
