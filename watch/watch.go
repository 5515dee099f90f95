// Package watch tells what is on the network: senders, rates, gaps, variants, decoded fields, issues.
package watch
