// Package server is hone's web server: the query API that doc/api.md describes,
// and the pages that use it.
//
// It is thin. Every figure is computed by package report; what happens here is
// the way of a request to it and back:
//
//	guard       who may ask: Host, Origin; headers that keep pages harmless   guard.go
//	profiles    which profiles are open, their ids; loading and uploads       profiles.go, info.go
//	query       the request's parameters, checked and made canonical          query.go
//	reports     one function per report, from a query to an answer            reports.go, flame.go
//	cache       everything costly once: answers, trees, sums of profiles      cache.go
//	answer      bytes with a type: ETag, compression, downloads               answer.go
//	views       saved sets of options                                         views.go
//	pages       the built web UI                                              pages.go
//	errors      what went wrong, as a status and the parameter to blame       errors.go
//
// A server of continuous profiling (hone serve) has a store besides:
//
//	access      who asks, which role a route needs; package auth              access.go
//	selection   a query of the store that stands for a profile                selection.go, times.go
//	continuous  what such a server is made of, its routes and parameters      continuous.go
//	stored      labels, services, single profiles                             stored.go
//	series      totals, and functions, over time                              series.go, history.go
//	markers     deployments, and what people mark                             markers.go
//	status      how the server fares                                          status.go, metrics.go
//	listen      connections: one port, limits, the end                        listen.go
//
// Profiles are loaded, symbolized and given their source by functions in
// [Config], so that this package needs to know neither files nor networks. A
// request is answered from the cache if one like it was; otherwise it waits for
// a slot, of which there are as many as processors. Requests for the same thing
// share one computation, which ends early only when all who wait have left.
package server
