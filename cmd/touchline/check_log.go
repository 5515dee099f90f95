package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"touchline/capture"
	"touchline/conform"
	"touchline/matchlog"
	"touchline/reportcard/logcard"
)

// checkLog checks a match log, which may still be written or torn. A log that is no file is copied to one.
func checkLog(name string, format capture.Format, r io.Reader) (checkInput, error) {
	input := checkInput{Name: name, Kind: string(format)}
	path := name
	if info, err := os.Stat(name); name == "-" || err != nil || !info.Mode().IsRegular() {
		if path, err = temporary(r); err != nil {
			return input, err
		}
		defer os.Remove(path)
	}
	log, err := matchlog.Open(path)
	if err != nil {
		return input, cmp.Or(errors.Unwrap(err), err) // without the path
	}
	defer log.Close()
	if input.Cards, err = logcard.Reports(log); err != nil {
		return input, err
	}
	var checker conform.Checker
	for m, err := range log.Messages(0, 0, matchlog.Packets) {
		if err != nil {
			return input, err
		}
		if p, err := matchlog.ParsePacket(m); err == nil {
			checker.Add(&p)
		}
	}
	input.Report = checker.Report()
	if input.judge(); input.Report.Packets == 0 {
		return input, unreadable(log)
	}
	return input, nil
}

// temporary copies r to a file and returns its path.
func temporary(r io.Reader) (string, error) {
	file, err := os.CreateTemp("", "touchline-check-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, r)
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// unreadable returns why a log without messages has none: a file of it, or all, cannot be read. It is nil for an empty log.
func unreadable(log *matchlog.Log) error {
	all := []error{log.Wait()}
	for _, f := range log.Info().Files {
		if f.Error != "" {
			all = append(all, fmt.Errorf("%s: %s", f.Name, f.Error))
		}
	}
	return errors.Join(all...)
}
