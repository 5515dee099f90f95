// Package vss is the game of a simulator that replaces FIRASim for the Very Small Size league: the engine of package sim
// with the messages of wire/firasim.
//
// Session is the game without a network: Receive accepts the packets of clients, and each Tick generates one
// Environment. Package vssnet connects it to the network. Team is the built-in team and Referee the built-in
// referee: they only receive and send packets.
//
// The defects of FIRASim are fixed; Compat reproduces them by name.
package vss
