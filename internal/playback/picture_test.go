package playback

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"touchline/internal/manager/managernet"

	"touchline/matchlog"
	"touchline/wire/wiretest"
)

// Pictures that a tape records are what a page of the replay gets, byte for byte, with their overlay; Foxglove finds the
// same file and the overlay in the pixels of the picture.
func TestTapePictures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcap")
	tape, session := newTape(""), new(clock)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tape.Run(ctx, session) }()
	view := managernet.PictureView{
		Robot: 3, Millis: 1.7e12, Type: "image/jpeg", Data: []byte{0xff, 0xd8, 7, 0xff, 0xd9}, Width: 52, Height: 40, Divisor: 2,
		X: 52, Y: 40, Format: "jpeg", Slices: 3, Overlay: []managernet.ShapeView{
			{Kind: "ball", Closed: true, Distance: 2, Points: []float64{60.5, 50.5, 70.5, 50.5}},
		},
	}
	tape.Picture(&view) // nothing runs
	if err := tape.Start(path); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "a second is recorded", func() bool {
		tape.Picture(&view)
		return state(tape).To >= 1
	})
	if err := tape.Stop(); err != nil {
		t.Fatal(err)
	}
	// A page that looks back gets it, too.
	to := state(tape).To
	wiretest.Eventually(t, "a picture of later", func() bool {
		tape.Picture(&view)
		p, err := tape.Player().picture(3, state(tape).To)
		return state(tape).To > to && err == nil && p != nil && bytes.Equal(p.Data, view.Data)
	})
	if p, err := tape.Player().picture(4, state(tape).To); err != nil || p != nil {
		t.Errorf("looking back at a robot without pictures: %+v, %v", p, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}

	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if s := l.Schemas(); s[imageChannel(3)].Name != "foxglove.CompressedImage" ||
		s[annotationsChannel(3)].Name != "foxglove.ImageAnnotations" {
		t.Errorf("schemas %v", s)
	}
	images := 0
	for m, err := range l.Messages(0, 0, imageChannel(3), annotationsChannel(3)) {
		if err != nil {
			t.Fatal(err)
		}
		var image compressedImage
		var over imageAnnotations
		if m.Channel == imageChannel(3) {
			images++
			if err := json.Unmarshal(m.Data, &image); err != nil || !bytes.Equal(image.Data, view.Data) || image.Format != "jpeg" {
				t.Errorf("%+v, %v", image, err)
			}
		} else if err := json.Unmarshal(m.Data, &over); err != nil || len(over.Points) != 1 || over.Points[0].Points[0].X != 4 ||
			over.Points[0].Points[0].Y != 5 || over.Texts[0].Text != "ball 2.00 m" {
			t.Errorf("%+v, %v", over, err)
		}
	}
	if images == 0 {
		t.Error("no picture is recorded")
	}
	replayPicture(t, path, &view)
}

// replayPicture asks a replay for a picture as a page does.
func replayPicture(t *testing.T, path string, want *managernet.PictureView) {
	t.Helper()
	replay, err := OpenReplay(path)
	if err != nil {
		t.Fatal(err)
	}
	defer replay.Close()
	if err := replay.Run(t.Context()); err != nil || !replay.HasPictures() {
		t.Fatalf("no pictures, or %v", err)
	}
	mux := http.NewServeMux()
	for pattern, h := range Handlers(replay.Player) {
		mux.Handle(pattern, h)
	}
	ask := func(key string) (found *picture, status int) {
		s := replay.State("session").(*State)
		for at := s.From; at <= s.To && found == nil; at += 0.1 { // between some walls the machine may have stood still
			answer := httptest.NewRecorder()
			mux.ServeHTTP(answer, httptest.NewRequest("GET", fmt.Sprintf("/api/session/picture?key=%s&at=%.0f", key, 1e3*at), nil))
			if status = answer.Code; status == http.StatusOK {
				_ = json.Unmarshal(answer.Body.Bytes(), &found) // null stays nil
			}
		}
		return found, status
	}
	found, status := ask("3")
	var view managernet.PictureView
	if status != 200 || found == nil || !bytes.Equal(found.Data, want.Data) || json.Unmarshal(found.View, &view) != nil {
		t.Fatalf("status %d, %+v", status, found)
	}
	if view.Data != nil || view.Width != want.Width || view.X != want.X || len(view.Overlay) != 1 || view.Overlay[0].Points[2] != 70.5 {
		t.Errorf("%+v", view)
	}
	if other, status := ask("4"); status != 200 || other != nil {
		t.Errorf("another robot: status %d, %+v", status, other)
	}
	if _, status := ask("x"); status != 400 {
		t.Errorf("key=x: status %d", status)
	}
}
