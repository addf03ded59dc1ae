// Command build builds the program in the folder above.
package main

import (
	"flag"
	"log"
	"os"
	"os/exec"
)

func main() {
	out := flag.String("o", "", "write the program to this `file`")
	flag.Parse()
	cmd := exec.Command("go", "build", "-o", *out, ".")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		log.Fatal(err)
	}
}
