//go:build cross

package main

func tell(func()) { println(len(out.Stacks)) }
