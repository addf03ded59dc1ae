package methods

import (
	"fmt"
	"io"
	"net/netip"
	"os"
)

// What a method of an argument costs, it costs whoever calls it.
func show(w io.Writer, at netip.Addr) {
	fmt.Fprintf(w, "%s\n", at) // hot: fmt.Fprintf fmt.(*pp).doPrintf fmt.(*pp).printArg fmt.(*pp).handleMethods net/netip.Addr.String
}

func text(at netip.Addr) string {
	return fmt.Sprintf("at %s", at) // hot: fmt.Sprintf fmt.(*pp).doPrintf fmt.(*pp).printArg fmt.(*pp).handleMethods net/netip.Addr.String
}

// Writing costs the same without fmt.
func save(f *os.File, name string) {
	fmt.Fprintf(f, "%s\n", name) // hot: fmt.Fprintf os.(*File).Write internal/poll.(*FD).Write syscall.Write
}
