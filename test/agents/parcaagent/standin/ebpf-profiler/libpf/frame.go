package libpf

import "unique"

// FrameType is a kind of frame.
type FrameType uint8

const (
	UnknownFrame FrameType = iota
	PythonFrame
	NativeFrame
	KernelFrame
	CUDAPCFrame
	AbortFrame
)

// String returns the name on the wire.
func (t FrameType) String() string {
	return [...]string{"unknown", "python", "native", "kernel", "cuda-pc", "abort-marker"}[t]
}

// IsAbort reports whether the trace broke off here.
func (t FrameType) IsAbort() bool { return t == AbortFrame }

// A Frame is one place of a trace.
type Frame struct {
	Type            FrameType
	AddressOrLineno AddressOrLineno
	FunctionName    String
	SourceFile      String
	SourceLine      uint64
	SourceColumn    uint64
	Mapping         FrameMapping
}

// Frames are those of a trace, the leaf first.
type Frames []unique.Handle[Frame]

// Append adds a frame.
func (f *Frames) Append(frame *Frame) { *f = append(*f, unique.Make(*frame)) }

// FrameMappingFileData tells of a mapped file.
type FrameMappingFileData struct {
	FileID     FileID
	FileName   String
	GnuBuildID string
}

// FrameMappingFile is an interned FrameMappingFileData, or nothing.
type FrameMappingFile struct {
	handle unique.Handle[FrameMappingFileData]
}

// NewFrameMappingFile interns d.
func NewFrameMappingFile(d FrameMappingFileData) FrameMappingFile {
	return FrameMappingFile{unique.Make(d)}
}

// Value returns what was interned.
func (f FrameMappingFile) Value() FrameMappingFileData {
	if f == (FrameMappingFile{}) {
		return FrameMappingFileData{}
	}
	return f.handle.Value()
}

// FrameMappingData tells of a mapping.
type FrameMappingData struct{ File FrameMappingFile }

// FrameMapping is an interned FrameMappingData, or nothing.
type FrameMapping struct {
	handle unique.Handle[FrameMappingData]
}

// NewFrameMapping interns d.
func NewFrameMapping(d FrameMappingData) FrameMapping { return FrameMapping{unique.Make(d)} }

// Valid reports whether there is a mapping.
func (m FrameMapping) Valid() bool { return m != (FrameMapping{}) }

// Value returns what was interned.
func (m FrameMapping) Value() FrameMappingData { return m.handle.Value() }

// A Trace is a stack with what it is labelled with.
type Trace struct {
	Frames       Frames
	CustomLabels map[String]String
}
