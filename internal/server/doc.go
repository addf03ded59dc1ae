// Package server is the shell of hone's web servers. Services add their routes to it (the
// packages below: reports, stored, runs, …). The shell brings a request to its service and
// the answer back.
//
//	guard       which requests are accepted: Host, Origin; headers that keep pages harmless
//	access      who asks, and which roles a route needs; package auth, sessions.go
//	permits     which services someone may see and write
//	protocols   what agents and other tools send, in their protocols; sending.go
//	cache       computes what is costly once, with one computation per processor
//	answer      bytes with a type: ETag, compression, downloads
//	errors      what went wrong, as a status and the parameter to blame; params.go reads parameters
//	pages       the built web UI
//	listen      connections: one port, the end; connections.go, reach.go
//	health      whether it is alive and ready; metrics.go
//
// Services get functions that load and symbolize profiles and find their source, so no service
// depends on files or networks. A request is answered from the cache if the answer is there;
// otherwise it waits for a slot. Requests for the same answer share one computation, which is
// cancelled when none of them waits any more.
package server
