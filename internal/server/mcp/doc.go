// Package mcp lets programs that write code ask hone, by the Model Context Protocol. Its tools turn a question into requests for
// hone's query API, and the answers into text of at most 2,000 tokens that says what was left out and which call comes next.
//
// Texts of profiles are data: they are inside of fences that they can't close, and nothing of them is in a tool's description.
//
// The protocol is https://modelcontextprotocol.io/specification, spoken by its official SDK.
package mcp
