module github.com/hone-go/hone/agent

go 1.22
