package jsonreq

//go:generate go run ./codecgen -o codec_gen.go types.go

// A request carries what a sensor measured since its last request.
type request struct {
	Sensor   string `json:"sensor"`
	Readings []int  `json:"readings"`
}

// A response confirms what was stored: every reading with a semicolon behind
// it.
type response struct {
	Sensor string `json:"sensor"`
	Stored string `json:"stored"`
}
