package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"touchline/capture"
	"touchline/matchlog"
	"touchline/reportcard/logcard"
)

// checkLog checks a match log, which may be incomplete or still be written: the report cards of its teams and its packets.
func (f *checkFlags) checkLog(name string, format capture.Format, r io.Reader) (checkInput, error) {
	input := checkInput{Name: name, Kind: string(format)}
	path := name
	if info, err := os.Stat(name); name == "-" || err != nil || !info.Mode().IsRegular() { // a pipe
		if path, err = copyToFile(r); err != nil {
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
	checker := f.checker()
	for m, err := range log.Messages(0, 0, matchlog.Packets) {
		if err != nil {
			return input, err
		}
		if p, err := matchlog.ParsePacket(m); err == nil && (!f.to.IsValid() || p.Channel == f.to.String()) {
			checker.add(&p)
		}
	}
	input.Report = checker.Report()
	if input.sumUp(); input.Report.Packets == 0 {
		return input, unreadable(log)
	}
	return input, nil
}

// copyToFile copies r to a temporary file and returns its path.
func copyToFile(r io.Reader) (string, error) {
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

// unreadable returns why a log without messages could not be read; nil if it is empty.
func unreadable(log *matchlog.Log) error {
	all := []error{log.Wait()}
	for _, f := range log.Info().Files {
		if f.Error != "" {
			all = append(all, fmt.Errorf("%s: %s", f.Name, f.Error))
		}
	}
	return errors.Join(all...)
}
