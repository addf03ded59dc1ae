package ingest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// Pushes that come at the same time take little memory together: one after another takes
// what it needs beyond that, and none is refused.
func TestCrowd(t *testing.T) {
	m := NewMemory(1 << 30)
	const pushes, first, all = 32, 1 << 20, 48 << 20
	var began, ended sync.WaitGroup
	began.Add(pushes)
	for range pushes {
		ended.Go(func() {
			s := m.Push(t.Context(), 0)
			defer s.Close()
			err := s.Take(first)
			began.Done()
			began.Wait() // all are there
			for n := first; n < all && err == nil; n += first {
				err = s.Take(first)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	ended.Wait()
	if most := m.crowd + all; m.Peak() > most {
		t.Errorf("%d pushes took %d bytes together, want at most %d", pushes, m.Peak(), most)
	}
	if m.Used() != 0 || m.pushed != 0 || m.turn != nil {
		t.Errorf("%d bytes are still taken, %d of them by pushes; turn %v", m.Used(), m.pushed, m.turn)
	}
}

// A push whose turn it isn't waits, unless it hurries or nobody wants its answer any
// more. Small pushes and answers don't wait for it.
func TestTurn(t *testing.T) {
	synctest.Test(t, testTurn) // pushes wait for half a minute
}

func testTurn(t *testing.T) {
	m := NewMemory(1 << 30)
	large := m.Push(t.Context(), 0)
	defer large.Close()
	if err := large.Take(m.crowd + 1); err != nil || !large.hasTurn() {
		t.Fatalf("the first push has no turn: %v", err)
	}
	var refused *Error
	hurried := m.Push(t.Context(), 0)
	defer hurried.Close()
	hurried.Hurry(true)
	if err := hurried.Take(patience); err != nil {
		t.Errorf("a small push: %v", err)
	}
	if err := hurried.Take(1); !errors.As(err, &refused) || refused.Reason != Unavailable || refused.RetryAfter == 0 {
		t.Errorf("a push that hurries: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	left := m.Push(gone, 0)
	if err := left.Take(2 * patience); !errors.As(err, &refused) || refused.Reason != Unavailable {
		t.Errorf("a push whose sender left: %v", err)
	}
	answer := m.Share(t.Context(), 0)
	if err := answer.Take(2 * patience); err != nil {
		t.Errorf("an answer: %v", err)
	}
	answer.Close()

	waits := m.Push(t.Context(), 0)
	defer waits.Close()
	done := make(chan error)
	go func() { done <- waits.Take(m.crowd) }()
	large.Give(m.crowd)
	if err := <-done; err != nil || !waits.hasTurn() {
		t.Errorf("the next push: %v", err)
	}
}

// Whoever sets the garbage collector's limit is told when much is taken or given back.
func TestMoved(t *testing.T) {
	m := NewMemory(0)
	told := func() bool {
		select {
		case <-m.Moved():
			return true
		default:
			return false
		}
	}
	s := m.Share(t.Context(), 0)
	for _, test := range []struct {
		take int64
		want bool
	}{{step - 1, false}, {1, true}, {step / 2, false}, {-step, false}, {-step / 2, true}, {4 * step, true}, {-4 * step, true}} {
		if test.take > 0 {
			if err := s.Take(test.take); err != nil {
				t.Fatal(err)
			}
		} else {
			s.Give(-test.take)
		}
		if got := told(); got != test.want {
			t.Errorf("%d bytes more, %d in all: told %v, want %v", test.take, m.Used(), got, test.want)
		}
	}
}
