package finalized

import "runtime"

type file struct{ fd, flags int }

type other struct{ a, b int }

func open(fds []int) (all []*file) {
	for _, fd := range fds {
		// says: &file{...} escapes to heap
		f := &file{fd: fd} // alloc
		runtime.SetFinalizer(f, (*file).close)
		all = append(all, f)
	}
	return all
}

func (f *file) close() { f.fd = -1 }
