package playback

import (
	"encoding/json"
	"strings"

	"touchline/matchlog"
)

// HasPictures reports whether a recording holds pictures of robots' cameras.
func (p *Player) HasPictures() bool { return p.filmed }

// hasPictures reports whether a log has a channel of pictures.
func hasPictures(l *matchlog.Log) bool {
	for _, c := range l.Info().Channels {
		if strings.HasPrefix(c.Name, matchlog.TopicPrefix+"picture/") {
			return true
		}
	}
	return false
}

// Picture is a picture of a robot's camera at a time of a session.
type Picture struct {
	View json.RawMessage `json:"view"` // the topic "picture/ID" as it was, without its data
	Data []byte          `json:"data"` // base64
}

// Picture returns the picture that a robot's page showed at a time, in s; nil if none was kept of the 2 s before.
func (p *Player) Picture(robot uint8, t float64) (*Picture, error) {
	m, ok := p.moment(t)
	if !ok {
		return nil, nil
	}
	at := m.at.Add(seconds(t - m.t)) // between two walls
	view, ok, err := p.films.Last(PictureChannel(robot), at)
	if err != nil || !ok || at.Sub(view.Time) > current {
		return nil, err
	}
	image, ok, err := p.films.Last(FoxglovePictureChannel(robot), view.Time)
	if err != nil || !ok || image.Time != view.Time {
		return nil, err
	}
	var of CompressedImage
	if json.Unmarshal(image.Data, &of) != nil || !json.Valid(view.Data) {
		return nil, nil // damaged
	}
	return &Picture{view.Data, of.Data}, nil
}
