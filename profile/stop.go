package profile

import "context"

// stopEvery is how many samples, or steps of as much work, are between two looks at a context.
const stopEvery = 1024

// stopped returns the error of a context that is done. Loops over samples ask it at each step,
// and end with the error; most steps don't look. A context that is nil is never done.
func stopped(ctx context.Context, step int) error {
	if step%stopEvery != 0 || ctx == nil {
		return nil
	}
	return ctx.Err()
}
