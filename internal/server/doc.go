// Package server is the shell of hone's web servers. It knows no subject: services
// add their routes to it (packages reports, stored and runs below it), and the shell
// brings a request to them and the answer back.
//
//	guard       which requests may be asked: Host, Origin; headers that keep pages harmless
//	access      who asks, and which roles a route needs; package auth, sessions.go
//	protocols   what agents and other tools send, in their protocols; sending.go
//	cache       everything costly once, by as many at a time as there are processors
//	answer      bytes with a type: ETag, compression, downloads
//	errors      what went wrong, as a status and the parameter to blame
//	pages       the built web UI
//	listen      connections: one port, the end; connections.go, reach.go
//	health      that it lives and can work; metrics.go
//
// Profiles are loaded, symbolized and given their source by functions that services
// get, so that none needs to know files or networks. A request is answered from the
// cache if one like it was; otherwise it waits for a slot. Requests for the same
// thing share one computation, which ends early only when all who wait have left.
package server
