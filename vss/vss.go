// Package vss is a simulator of the Very Small Size league that takes FIRASim's place on the network: sim behind
// wire/firasim, with a referee and teams of its own for those who have none.
//
// Session is the pure core: what clients send goes in by Hear, each Tick gives one Environment. Live runs one on the
// network: vision out by UDP each 16 ms, commands in by UDP, and in lockstep also as gRPC; the page's topic "vss" is a
// Show, and Command does what the page or curl asks for. Referee and Team are pure too; they see and say only what is on
// the wire.
//
// Everything is on the loopback interface unless the configuration names another address or interface. Where FIRASim is
// mended, Compat brings its defects back by name.
package vss
