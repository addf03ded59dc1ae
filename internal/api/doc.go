// Package api is the query API as values: what doc/api.md describes, with the
// JSON that it has on the wire, the times and lengths of time that requests are
// written with, and the ids of selections. The server answers with these values
// and the command line reads them.
package api
