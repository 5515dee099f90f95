// Command release builds the archives of ./release: the programs, the licence, the documents and what they name for each
// system, and a file of checksums. Its output depends only on the source, the Go version and the flags: the build is independent of the
// folder, and the files in the archives have the time of the commit, fixed owners and a fixed order.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// origin is where the source comes from.
type origin struct {
	version, commit string
	date            time.Time
}

// file is one file of an archive.
type file struct {
	name string
	mode int64
	data []byte
}

func main() {
	flags := flag.NewFlagSet("./release", flag.ExitOnError)
	out := flags.String("o", "dist", "folder for the archives")
	targets := flags.String("targets", "linux/amd64,linux/arm64,windows/amd64,windows/arm64,darwin/amd64,darwin/arm64",
		"systems, separated by commas")
	version := flags.String("version", "", "name of the release (default: the commit's tag, or the commit)")
	_ = flags.Parse(os.Args[1:]) // it exits on an error
	if flags.NArg() > 0 {
		fatal(fmt.Errorf("%q is no flag; see ./release -help", flags.Arg(0)))
	}
	from, err := source(*version)
	if err != nil {
		fatal(err)
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		fatal(err)
	}
	var sums strings.Builder
	for target := range strings.SplitSeq(*targets, ",") {
		name, archive, err := build(target, from)
		if err != nil {
			fatal(fmt.Errorf("%s: %w", target, err))
		}
		if err := os.WriteFile(filepath.Join(*out, name), archive, 0o644); err != nil {
			fatal(err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(archive), name)
		fmt.Printf("%s  %.1f MB\n", filepath.Join(*out, name), float64(len(archive))/1e6)
	}
	if err := os.WriteFile(filepath.Join(*out, "SHA256SUMS"), []byte(sums.String()), 0o644); err != nil {
		fatal(err)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "release:", err)
	os.Exit(1)
}

// source returns the origin of the source in this folder. Outside a repository the version must be given, and the date
// is that of SOURCE_DATE_EPOCH or the start of 1980, the first that a zip can hold.
func source(version string) (origin, error) {
	o := origin{version: version, date: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	if described, err := git("describe", "--tags", "--always", "--abbrev=12", "--dirty", "--match", "v*"); err == nil {
		if o.version == "" {
			o.version = described
		}
		if o.commit, err = git("rev-parse", "HEAD"); err != nil {
			return o, err
		}
		seconds, err := git("log", "-1", "--format=%ct")
		if err != nil {
			return o, err
		}
		if o.date, err = date(seconds); err != nil {
			return o, err
		}
	}
	if text := os.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		var err error
		if o.date, err = date(text); err != nil {
			return o, fmt.Errorf("SOURCE_DATE_EPOCH %q: want seconds since 1970", text)
		}
	}
	if o.version == "" || strings.ContainsAny(o.version, " /\\'\"") {
		return o, fmt.Errorf("version %q: give a name without blanks and slashes, for example -version v1.0.0", o.version)
	}
	return o, nil
}

func date(seconds string) (time.Time, error) {
	n, err := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0).UTC(), err
}

func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	return strings.TrimSpace(string(out)), err
}

// build returns the archive of a target GOOS/GOARCH, and its name.
func build(target string, from origin) (name string, archive []byte, err error) {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return "", nil, errors.New("want a system and a processor, for example linux/amd64")
	}
	suffix := ""
	if system == "windows" {
		suffix = ".exe"
	}
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	const set = " -X main."
	flags := "-s -w" + set + "release=" + from.version + set + "commit=" + from.commit
	if from.commit != "" {
		flags += set + "date=" + from.date.Format(time.RFC3339)
	}
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags="+flags, "-o", dir+string(filepath.Separator),
		"./cmd/touchline", "./cmd/touchline-lab", "./cmd/touchline-fleet")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor, "GOFLAGS=", "GOEXPERIMENT=")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return "", nil, err
	}
	var files []file
	for _, program := range []string{"touchline" + suffix, "touchline-lab" + suffix, "touchline-fleet" + suffix} {
		data, err := os.ReadFile(filepath.Join(dir, program))
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{program, 0o755, data})
	}
	for _, root := range []string{"LICENSE", "README.md", "docs", "python", "wire/vectors", "internal/monitor/static/htm"} {
		more, err := filesOf(root)
		if err != nil {
			return "", nil, err
		}
		files = append(files, more...)
	}
	name = fmt.Sprintf("touchline-%s-%s-%s", from.version, system, processor)
	pack, end := packTar, ".tar.gz"
	if system == "windows" {
		pack, end = packZip, ".zip"
	}
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	archive, err = pack(files, from.date)
	return name + end, archive, err
}

// filesOf returns a file, or those of a folder without what a program generated there. The documents call the programs
// as they are installed.
func filesOf(root string) (files []file, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "__pycache__") || strings.HasSuffix(path, ".go") {
			return err
		}
		data, err := os.ReadFile(path)
		if filepath.Ext(path) == ".md" {
			data = bytes.ReplaceAll(data, []byte("go run ./cmd/touchline"), []byte("touchline"))
		}
		files = append(files, file{filepath.ToSlash(path), 0o644, data})
		return err
	})
	return files, err
}

func packTar(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, f := range files {
		header := tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Format: tar.FormatPAX}
		if err := w.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), z.Close())
	return b.Bytes(), err
}

func packZip(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, f := range files {
		header := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(os.FileMode(f.mode))
		entry, err := w.CreateHeader(&header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
