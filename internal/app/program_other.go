//go:build !linux

package app

func releaseProgram() {}
