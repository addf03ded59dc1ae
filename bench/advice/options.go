package main

import "time"

type options struct {
	hone, repos string
	gains       bool
	keep        string
	again       bool
	timeout     time.Duration
	time        string
	sample      string
	judged      verdicts
	outcomes    string
}
