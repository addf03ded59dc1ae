package workspace

import (
	"os"
	"time"
)

func ownTime() time.Duration { return 0 } // nor is there anything to compare it with

func askToEnd(p *os.Process) { p.Kill() }

func askForStacks(*os.Process) {}
