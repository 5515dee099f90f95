// Package transfer cuts a file into messages of the TCM and puts it together at its destination.
//
// The TCM does not acknowledge or repeat messages, so a chunk that is lost stays lost. A Receiver delivers a file only
// if every chunk arrived and the checksum is right; of any other file it keeps nothing and reports the missing ranges.

package teamcomnet
