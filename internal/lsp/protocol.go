package lsp

import "encoding/json"

// The part of LSP 3.17 that hone uses: https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/

type position struct {
	Line      uint32 `json:"line"`      // from 0
	Character uint32 `json:"character"` // from 0, in units of the encoding that was agreed on
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"` // exclusive
}

type textDocument struct {
	URI string `json:"uri"`
}

type initializeParams struct {
	RootURI  *string            `json:"rootUri"`
	RootPath *string            `json:"rootPath"`
	Folders  []folder           `json:"workspaceFolders"`
	Options  json.RawMessage    `json:"initializationOptions"`
	Client   clientCapabilities `json:"capabilities"`
}

type folder struct {
	URI string `json:"uri"`
}

type clientCapabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	Workspace struct {
		CodeLens struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"codeLens"`
		Watched struct {
			Dynamic bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
		Edit struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
	} `json:"workspace"`
	TextDocument struct {
		Hover struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		CodeAction struct {
			Literal  json.RawMessage `json:"codeActionLiteralSupport"`
			Disabled bool            `json:"disabledSupport"`
			Data     bool            `json:"dataSupport"`
		} `json:"codeAction"`
	} `json:"textDocument"`
}

type initializeResult struct {
	Capabilities serverCapabilities `json:"capabilities"`
	Server       struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	} `json:"serverInfo"`
}

type serverCapabilities struct {
	PositionEncoding string `json:"positionEncoding"`
	Sync             struct {
		OpenClose bool `json:"openClose"`
		Change    int  `json:"change"`
		Save      bool `json:"save"`
	} `json:"textDocumentSync"`
	CodeLens   struct{} `json:"codeLensProvider"`
	Hover      bool     `json:"hoverProvider"`
	CodeAction struct {
		Kinds []string `json:"codeActionKinds"`
	} `json:"codeActionProvider"`
	Execute struct {
		Commands []string `json:"commands"`
	} `json:"executeCommandProvider"`
	Workspace struct {
		Folders struct {
			Supported bool `json:"supported"`
			Changes   bool `json:"changeNotifications"`
		} `json:"workspaceFolders"`
	} `json:"workspace"`
}

// syncIncremental: changes are parts of the text.
const syncIncremental = 2

type didOpenParams struct {
	Document struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

type didChangeParams struct {
	Document struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
	} `json:"textDocument"`
	Changes []contentChange `json:"contentChanges"`
}

// A contentChange replaces a range, or all of the text if it has none.
type contentChange struct {
	Range *textRange `json:"range"`
	Text  string     `json:"text"`
}

type documentParams struct {
	Document textDocument `json:"textDocument"`
}

type hoverParams struct {
	Document textDocument `json:"textDocument"`
	Position position     `json:"position"`
}

type codeActionParams struct {
	Document textDocument `json:"textDocument"`
	Range    textRange    `json:"range"`
	Context  struct {
		Diagnostics []diagnostic `json:"diagnostics"`
		Only        []string     `json:"only"`
	} `json:"context"`
}

type foldersParams struct {
	Event struct {
		Added   []folder `json:"added"`
		Removed []folder `json:"removed"`
	} `json:"event"`
}

type configurationParams struct {
	Settings json.RawMessage `json:"settings"`
}

type executeParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
	Token     json.RawMessage   `json:"workDoneToken"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

type codeLens struct {
	Range   textRange `json:"range"`
	Command command   `json:"command"`
}

type hover struct {
	Contents markup     `json:"contents"`
	Range    *textRange `json:"range,omitempty"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// Severities of diagnostics.
const (
	severityInformation = 3
	severityHint        = 4
)

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity,omitempty"`
	Code     any       `json:"code,omitempty"`
	About    *link     `json:"codeDescription,omitempty"`
	Source   string    `json:"source,omitempty"`
	Message  string    `json:"message"`
}

type link struct {
	Href string `json:"href"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     int32        `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
	Command     *command       `json:"command,omitempty"`
	Disabled    *reason        `json:"disabled,omitempty"`
}

type reason struct {
	Reason string `json:"reason"`
}

// A workspaceEdit has changes by document with their versions, or, for old clients, without.
type workspaceEdit struct {
	DocumentChanges []any                 `json:"documentChanges,omitempty"` // documentEdit and createFile
	Changes         map[string][]textEdit `json:"changes,omitempty"`
}

type documentEdit struct {
	Document versionedDocument `json:"textDocument"`
	Edits    []textEdit        `json:"edits"`
}

type versionedDocument struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"` // nil: the file isn't open
}

type createFile struct {
	Kind    string `json:"kind"` // "create"
	URI     string `json:"uri"`
	Options struct {
		Overwrite      bool `json:"overwrite"`
		IgnoreIfExists bool `json:"ignoreIfExists"`
	} `json:"options"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type progressParams struct {
	Token json.RawMessage `json:"token"`
	Value any             `json:"value"`
}

type progressValue struct {
	Kind        string `json:"kind"` // begin, report, end
	Title       string `json:"title,omitempty"`
	Message     string `json:"message,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
}

// Types of messages.
const (
	messageError = 1
	messageInfo  = 3
)

type messageParams struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}
