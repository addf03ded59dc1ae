package quiet

import "sync"

type locker struct{ n int }

func (l *locker) Lock()   { l.n++ }
func (l *locker) Unlock() { l.n-- }

// A type of the user's.
func own(l *locker) {
	l.Lock()
	l.Unlock() // mutex: other.wait
}

// The waiting is below something else.
func other(m *sync.Mutex, f func()) {
	m.Lock()
	f() // mutex: other.f sync.(*Mutex).Unlock
	m.Unlock()
}

// The CPU time of a lock that nobody waits for.
func hot(m *sync.Mutex) {
	m.Lock()
	m.Unlock() // hot: sync.(*Mutex).Unlock
}

// The lock is another one, below the call.
func below(m *sync.Mutex, f func() int) int {
	m.Lock()
	defer m.Unlock()
	return f() // mutex: other.f sync.(*Mutex).Unlock
}

// Which of two, nobody knows.
func two(a, b *sync.Mutex) int {
	a.Lock()
	defer a.Unlock()
	b.Lock()
	defer b.Unlock()
	return 1 // mutex: sync.(*Mutex).Unlock
}
