package capture

import "os"

func askToEnd(p *os.Process) { p.Kill() }

func askForStacks(*os.Process) {}
