// Package api defines the values of the query API, which doc/reference/api.md describes: their
// JSON, the syntax of times and durations in requests, and the ids of selections. The server
// encodes these values and the command line decodes them.
package api
