package server

import "net"

func serve(l net.Listener, handle func(net.Conn)) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go handle(c) // hot: runtime.newproc
	}
}

func background(f func()) {
	go f() // hot: runtime.newproc
}

func each(items []int, f func(int)) {
	go func() { // hot: runtime.newproc
		for _, it := range items {
			f(it) // hot: runtime.newproc
		}
	}()
}
