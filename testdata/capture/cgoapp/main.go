// Cgoapp is a program with C functions on its stacks: Go calls C, C calls
// back into Go, and a traceback function for the Go runtime walks the C frames.
//
//	cgoapp -symbolize=true -for 1s -cpu cpu.pb.gz -heap heap.pb.gz
package main

/*
#cgo CFLAGS: -O1 -fno-omit-frame-pointer
#cgo LDFLAGS: -rdynamic -lm -ldl
#include "work.h"
*/
import "C"

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
	"unsafe"
)

var visits int

//export goVisit
func goVisit(n C.int) C.double {
	visits++
	return C.double(digitsOf(int(n)))
}

func digitsOf(n int) (sum int) {
	for i := range 5000 {
		for k := n + i; k > 0; k /= 10 {
			sum += k % 10
		}
	}
	return sum
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cgoapp:", err)
		os.Exit(1)
	}
}

func run() error {
	symbolize := flag.Bool("symbolize", true, "give the C frames names in the profile")
	length := flag.Duration("for", time.Second, "how long to run")
	cpu := flag.String("cpu", "", "write a CPU profile to this `file`")
	heap := flag.String("heap", "", "write a heap profile to this `file`")
	flag.Parse()

	symbolizer := unsafe.Pointer(C.c_symbolizer)
	if !*symbolize {
		symbolizer = nil
	}
	runtime.SetCgoTraceback(0, unsafe.Pointer(C.c_traceback), nil, symbolizer)
	if *cpu != "" {
		f, err := os.Create(*cpu)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var rows [][]float64
	for end := time.Now().Add(*length); time.Now().Before(end); {
		rows = append(rows, simulate(2000))
	}
	if *heap != "" {
		f, err := os.Create(*heap)
		if err != nil {
			return err
		}
		defer f.Close()
		runtime.GC()
		if err := pprof.WriteHeapProfile(f); err != nil {
			return err
		}
	}
	runtime.KeepAlive(rows)
	return nil
}

// simulate goes down into C and, every so often, back up into Go.
func simulate(n int) []float64 {
	out := make([]float64, n)
	C.integrate((*C.double)(unsafe.Pointer(&out[0])), C.int(n))
	out[0] += float64(C.walk(C.int(40)))
	for i := range out {
		out[i] *= 2
	}
	return out
}
