package storetest

import "errors"

// ErrBudget is that of a [Budget] that has too little left.
var ErrBudget = errors.New("no memory")

// A Budget has Limit bytes. It is for one goroutine.
type Budget struct{ Limit, Now, Most int64 }

// Take implements [profile.Budget].
func (b *Budget) Take(n int64) error {
	if n > b.Limit-b.Now {
		return ErrBudget
	}
	b.Now += n
	b.Most = max(b.Most, b.Now)
	return nil
}

// Give implements [profile.Budget].
func (b *Budget) Give(n int64) { b.Now -= n }
