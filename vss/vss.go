// Package vss is a simulator of the Very Small Size league that takes FIRASim's place: sim behind wire/firasim.
//
// Session is the game without a network: Receive applies what clients send, each Tick gives one Environment. Package
// vssnet puts it on the network; packages team and referee are the built-in team and the built-in referee, which read
// and send only what is on the wire.
//
// Where FIRASim has defects the simulator has none; Compat reproduces them by name.
package vss
