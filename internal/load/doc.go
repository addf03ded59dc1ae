// Package load sends requests to a service at times that do not depend on its
// answers, and says how long the answers took.
//
// # From times to figures
//
//	Pacer     when each request is due: constant, Poisson, ramp, steps
//	Run       waits for those times and hands requests to a Sender
//	Sender    sends one and reports its outcome; Pool makes one of a Driver
//	          whose Clients take one request at a time. Package loadtest has
//	          the suite that the senders of all protocols pass
//	recorder  outcomes into HDR histograms, and into a Window a second
//	Result    what Run returns: counts, quantiles, windows, failures by class
//
// RunRounds is the closed loop beside it: users that send their next request
// when the last one is answered, in rounds.
//
// # Coordinated omission
//
// A generator that waits for an answer before it sends the next request sends
// nothing while the service stands still, and so measures one slow answer where
// users would have met hundreds. Here a request's response time counts from when
// it was due, whether or not it could be sent then; its service time counts from
// when it was sent. A failed request has no response time: it is slower than any.
//
// Every request that was due is in the result: answered, failed, or without an
// answer when the run ended.
package load
