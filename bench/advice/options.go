package main

import "time"

type options struct {
	hone, repos string
	gains       bool
	keep        string
	again       bool
	timeout     time.Duration
	within      time.Duration // nothing begins later; 0: no limit
	parallel    int
	time        string
	sample      string
	judged      verdicts
	outcomes    string
}
