//go:build !unix

package httpload

import (
	"io"
	"net"
	"time"
)

// A wire can't be had here. Requests wait for their answers in a goroutine each, and one
// over a connection that the server has closed fails.
type wire struct{}

func newWire(net.Conn) *wire { return nil }

func (*wire) stale() bool { return false }

func (*wire) send([]byte, time.Time) (int, error, bool) { return 0, nil, false }

func (*wire) queue([]byte, time.Time) (bool, error) { return false, nil }

func (*wire) took() sending { return sending{} }

func (*wire) answered(bool) {}

func (*wire) Read([]byte) (int, error) { return 0, io.EOF }

func (*wire) stop() {}
