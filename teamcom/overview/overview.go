// Package overview shows people what the TCM does: the newest messages of every sender, byte by byte.
package overview
