package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"touchline/internal/console"
	"touchline/internal/manager/managernet"
)

// Pictures are the flags of pictures that play in the place of a camera.
type Pictures struct {
	Dir  string
	Rate float64
}

// pictureRate is the default of --pictures-rate, that of the cameras of package camera.
const pictureRate = 25

// Add adds the flags.
func (p *Pictures) Add(flags *pflag.FlagSet) {
	flags.StringVar(&p.Dir, "pictures", "",
		"folder of PNG or JPEG files of a real camera, which play in the camera's place in the order of their names, again and again")
	flags.Float64Var(&p.Rate, "pictures-rate", pictureRate, "with --pictures: pictures a second, 1 to 60")
	console.Accept(flags, "a number from 1 to 60, for example 25", "pictures-rate")
}

// Open opens the folder; without one it returns nil.
func (p *Pictures) Open() (*managernet.PictureFolder, error) {
	switch {
	case p.Dir == "" && p.Rate != pictureRate:
		return nil, errors.New("--pictures-rate needs --pictures: give a folder")
	case p.Dir == "":
		return nil, nil
	}
	r, err := managernet.OpenPictureFolder(p.Dir, p.Rate)
	if errors.Is(err, managernet.ErrRate) {
		return nil, fmt.Errorf("--pictures-rate %g: want 1 to 60 pictures a second, for example 25", p.Rate)
	}
	if err != nil {
		return nil, fmt.Errorf("--pictures %s", strings.TrimPrefix(err.Error(), "film: "))
	}
	return r, nil
}

// AddRecordPictures adds --record-pictures.
func AddRecordPictures(flags *pflag.FlagSet, rate *uint8) {
	flags.Uint8Var(rate, "record-pictures", 0,
		"pictures a second of each robot's camera that recordings hold, 1 to 25 (default: none; docs/manager.md)")
	console.Accept(flags, "a whole number from 0 to 25, for example 10", "record-pictures")
}
