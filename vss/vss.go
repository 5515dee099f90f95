// Package vss is a simulator of the Very Small Size league that takes FIRASim's place on the network: sim behind
// wire/firasim, with a referee and teams of its own for those who have none.
package vss
