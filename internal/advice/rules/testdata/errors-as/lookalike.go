package p

import "errors"

type notFound struct{ name string }

func (e *notFound) Error() string { return e.name }

// The variable is used after the statement.
func after(err error) string {
	var missing *notFound
	if errors.As(err, &missing) { // hot: errors.As
		err = nil
	}
	_ = err
	return missing.name
}

// The target is the caller's.
func into(err error, target **notFound) bool {
	return errors.As(err, target) // hot: errors.As
}

// It asks for an identity.
func same(err, other error) bool {
	return errors.Is(err, other) // hot: errors.Is
}

// In the second round the variable has what was found in the first.
func lastOf(errs []error) (names string) {
	var missing *notFound
	for _, err := range errs {
		if !errors.As(err, &missing) && missing == nil {
			continue
		}
		if errors.As(err, &missing) { // hot: errors.As
			names += missing.name
		}
	}
	return names
}

func again(errs []error) (n int) {
	var missing *notFound
	for _, err := range errs {
		if !errors.As(err, &missing) { // hot: errors.As
			n += len(missing.Error())
		}
	}
	return n
}

// The jump keeps what was found before.
func jumping(errs []error) (n int) {
	var missing *notFound
next:
	if !errors.As(errs[n], &missing) { // hot: errors.As
		return n + len(missing.Error())
	}
	n++
	goto next
}

func unnamed(err error) bool {
	var missing struct{ error }
	if errors.As(err, &missing) { // hot: errors.As
		return missing.error == nil
	}
	return false
}
