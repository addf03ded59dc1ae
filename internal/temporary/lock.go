package temporary

import (
	"errors"
	"time"
)

// errSwept: another hone removed a new temporary file before it was locked.
var errSwept = errors.New("another hone removed a temporary file: try again")

// tries is how often to make a file again that others swept before it was locked.
const tries = 1000

// young is how long a file may lack its lock: it was just made, or is being removed.
const young = time.Minute
