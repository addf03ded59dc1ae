// Cprog has functions in C.
package main

/*
#cgo CFLAGS: -O2 -g

static inline __attribute__((always_inline)) int inner(volatile int *p) {
	return *p * 3;
}

__attribute__((noinline)) int outer(volatile int *p) {
	int s = 0;
	for (int i = 0; i < 100; i++)
		s += inner(p);
	return s;
}
*/
import "C"
import "fmt"

func main() {
	v := C.int(3)
	fmt.Println(C.outer(&v))
}
