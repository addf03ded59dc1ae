package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Users are a closed loop: each user sends the next request when the last one is
// answered. Such a load slows down with the service, so it shows the highest
// throughput of the service, and not how long its users would wait.
type Users struct {
	Users    int
	Requests int           // requests of each user in a round; 0: there is only one round
	Rounds   int           // 0: as many as fit into For
	For      time.Duration // no request is sent after this time; 0: until the rounds are over
}

// Check reports what is wrong with the settings.
func (u Users) Check() error {
	switch {
	case u.Users < 1:
		return errors.New("a closed loop needs at least one user")
	case u.Requests < 0 || u.Rounds < 0 || u.For < 0:
		return errors.New("requests, rounds and time can't be negative")
	case u.For == 0 && (u.Rounds == 0 || u.Requests == 0):
		return errors.New("a closed loop needs an end: give rounds of requests, or a time")
	}
	return nil
}

// RunUsers sends requests in a closed loop, each user over a connection of its own,
// which stays open for all rounds. In every round, the k-th request of every user has
// number k, so that all users send the same requests in the same order. Without
// rounds, the requests of all users are numbered consecutively. round is called at the
// end of each round; it may be nil. When ctx ends, RunUsers stops and returns the
// result so far.
func RunUsers(ctx context.Context, d Driver, u Users, opts Options, round func(Round)) (*Result, error) {
	if err := u.Check(); err != nil {
		return nil, err
	}
	opts = opts.withDefaults()
	r := beginRun(ctx, nil, opts)
	defer r.end()
	defer context.AfterFunc(r.sending, func() { time.AfterFunc(afterInterrupt, r.giveUp) })()
	if u.For > 0 {
		defer time.AfterFunc(opts.Warmup+u.For+opts.Grace, r.giveUp).Stop()
	}

	users := make([]*user, u.Users)
	for i := range users {
		users[i] = r.newUser(d)
		defer users[i].close()
	}
	var rounds []Round
	for k := 0; (u.Rounds == 0 || k < u.Rounds) && r.sending.Err() == nil && !u.over(r.clock.Now(), opts); k++ {
		var done Round
		done.Start = r.clock.Now()
		var all sync.WaitGroup
		var succeeded, failed, next atomic.Int64
		for _, user := range users {
			all.Go(func() {
				for n := int64(0); (u.Requests == 0 || n < int64(u.Requests)) && r.sending.Err() == nil; n++ {
					now := r.clock.Now()
					if u.over(now, opts) {
						break
					}
					number := n
					if u.Requests == 0 {
						number = next.Add(1) - 1
					}
					if user.once(Request{number, now}) {
						succeeded.Add(1)
					} else {
						failed.Add(1)
					}
				}
			})
		}
		all.Wait()
		done.End, done.Succeeded, done.Failed = r.clock.Now(), succeeded.Load(), failed.Load()
		if u.Requests > 0 && done.Succeeded+done.Failed > 0 {
			rounds = append(rounds, done)
			if round != nil {
				round(done)
			}
		}
		if u.Requests == 0 {
			break
		}
	}
	r.end()
	r.period.cut(r.clock.Now())
	res := r.finish(ctx, nil)
	res.Rounds = rounds
	return res, nil
}

// over reports whether no request begins any more.
func (u Users) over(now time.Duration, opts Options) bool {
	return u.For > 0 && now >= opts.Warmup+u.For
}

// pause keeps a user whose requests fail at once from trying as fast as it can.
const pause = 10 * time.Millisecond

// A user sends one request after the other.
type user struct {
	worker
	run    *run
	driver Driver
	ok     bool                   // the last one succeeded
	done   func(Request, Outcome) // takes its outcome
}

func (r *run) newUser(d Driver) *user {
	u := &user{run: r, driver: d}
	u.done = func(req Request, o Outcome) {
		u.ok = o.Failure == nil
		r.done(req, o)
	}
	return u
}

// once sends a request that is due now, and reports whether it succeeded.
func (u *user) once(req Request) bool {
	u.run.flight.begin()
	u.serve(u.driver, job{u.run.waiting, u.run.clock, req, u.done, false})
	if !u.ok {
		select {
		case <-time.After(pause):
		case <-u.run.waiting.Done():
		}
	}
	return u.ok
}
