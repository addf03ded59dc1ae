package httpload

import (
	"errors"
	"net"
	"time"
)

// A sending is what became of a request: it was written, or the rest still is.
type sending struct {
	err  error
	rest chan error // nil: there is none
}

// errAnswered is why a request was not sent to its end: there was no need.
var errAnswered = errors.New("the answer came before the whole request was sent")

// errUnsent is why do sent nothing: the server has just closed the connection, or the run
// is over.
var errUnsent = errors.New("the connection takes no more requests")

// sendRest has something written meanwhile.
func sendRest(c net.Conn, out []byte, deadline time.Time) sending {
	if err := c.SetWriteDeadline(deadline); err != nil {
		return sending{err: err}
	}
	rest := make(chan error, 1)
	go func() {
		_, err := c.Write(out)
		rest <- err
	}()
	return sending{rest: rest}
}

// end ends what still is written, and returns why a request was not written to its end.
func (s sending) end(c net.Conn) error {
	if s.rest == nil {
		return s.err
	}
	select {
	case err := <-s.rest:
		return err
	default:
	}
	_ = c.SetWriteDeadline(time.Unix(1, 0))
	if err := <-s.rest; err != nil {
		return errAnswered
	}
	return nil
}

// ranOut reports whether the time for an answer was over.
func ranOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
