package capture

import (
	"errors"
	"io"
	"net"
	"testing"
)

// A server that greets its clients, as those of SSH and SMTP do, is told by what it does.
// What the client has not read when it writes comes after its first word.
func TestSpeaksFirst(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "220 mail\r\n")
		}
	}()
	for _, asks := range []bool{false, true} {
		conn, err := dialClient(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if asks {
			if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\n"); err != nil {
				t.Fatal(err)
			}
		}
		b := make([]byte, 100)
		n, err := conn.Read(b)
		if errors.Is(err, ErrSpeaksFirst) == asks || asks && string(b[:n]) != "220 mail\r\n" {
			t.Errorf("after asking (%v): read %q, %v", asks, b[:n], err)
		}
		conn.Close()
	}
}
