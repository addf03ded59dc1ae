// Package lsp is a language server: it shows editors what functions and lines cost, by the newest run of a module or by a service's
// profiles, and the findings that are kept. It works next to gopls, which knows the language.
//
// Data flows one way through the files:
//
//	framing, outbox, rpc              messages on a stream, and requests in both directions
//	protocol                          the values of the protocol that hone uses
//	text, documents                   open files, their positions and changes
//	workspace                         which files may be read, and which module they belong to
//	measurement, costs, callers       what profiles say about a file
//	declarations, recorded, view      the same at the lines that the file has now
//	findings                          the advice that is kept, at these lines
//	words, lens, hover, diagnostics, actions, commands
//	                                  answers
//	session, server                   which answer a message gets
package lsp
