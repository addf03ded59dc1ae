// Package load sends requests to a service at times that do not depend on its
// answers, and measures how long the answers took.
//
// # From times to figures
//
//	Pacer     says when each request is due: constant, Poisson, ramp, steps
//	Run       waits for those times and hands requests to a Sender
//	Sender    sends a request and reports its outcome. A Pool is the Sender of a
//	          Driver, whose Clients send one request at a time. Package loadtest
//	          has the tests that the senders of all protocols pass
//	recorder  adds outcomes to HDR histograms, and to a Window each second
//	Result    is what Run returns: counts, quantiles, windows, failures by class
//
// RunUsers is the closed loop: each user sends the next request when the last one
// is answered.
//
// # Coordinated omission
//
// A generator that waits for an answer before it sends the next request sends
// nothing while the service stalls. It measures one slow answer where users would
// have met hundreds. Here a request's response time counts from when the request
// was due, even if it was sent later; its service time counts from when it was
// sent. A failed request has no response time: it counts as slower than any other.
//
// Every request that was due is in the result: answered, failed, or without an
// answer when the run ended.
//
// Times are durations since the start of the run, unless a comment says otherwise.
package load
