package mcp

// Tokens estimates the tokens of a text.
var Tokens = tokens
