// Command literals writes a profile of places in function literals to its standard
// output. The profiles in this folder are what it wrote when Go 1.26 and Go 1.27 had
// built it: Go 1.27 names literals after the function whose source they are in, earlier
// versions after all functions that this one was inlined into. For edited.go127.pb.gz,
// lines were added to both files, and one literal to lib.go.
//
//	GOTOOLCHAIN=go1.26.8 go run . > go126.pb.gz
package main

import (
	"log"
	"os"

	"example.com/literals/lib"
)

func init() {
	func() { lib.Place() }()
}

func main() {
	lib.All()
	f := func() func() { return func() { lib.Place() } }
	f()()
	lib.Deep()
	lib.Two()
	lib.Returned()()
	(&lib.G[string]{}).Returned()()
	func() {
		defer lib.Generic(2.0)
	}()
	if err := lib.Places.WriteTo(os.Stdout, 0); err != nil {
		log.Fatal(err)
	}
}
