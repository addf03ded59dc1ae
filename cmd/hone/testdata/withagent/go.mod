module withagent

go 1.26.0

require github.com/hone-go/hone/agent v0.0.0

replace github.com/hone-go/hone/agent => ../../../../agent
