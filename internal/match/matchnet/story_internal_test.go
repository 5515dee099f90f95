package matchnet

import (
	"strings"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/internal/watch"
)

// A session with a story pauses at its first figure, and goes on after the command next.
func TestStoryPauses(t *testing.T) {
	s := prepared(t)
	if _, err := s.Commands().Do("next", []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "not waiting at a figure") {
		t.Errorf("next without a story: got error %v", err)
	}
	cfg, err := match.StoryConfig("booking", match.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	if s.core, err = match.Virtual(cfg, nil); err != nil {
		t.Fatal(err)
	}
	if s.story, err = match.NewStory("booking", s.core); err != nil {
		t.Fatal(err)
	}
	now := s.clock.Began
	play := func(d time.Duration) {
		t.Helper()
		for end := now.Add(d); now.Before(end); now = now.Add(tick) {
			if err := s.advance(now); err != nil {
				t.Fatal(err)
			}
		}
	}
	play(5 * time.Second)
	w := s.Wall("wall").(*watch.Wall)
	if !w.Paused || w.Story == nil || w.Story.Figure != 6 || !w.Story.Reached || w.Time > 3 {
		t.Fatalf("after 5 s: paused %t at %v s, story %+v", w.Paused, w.Time, w.Story)
	}
	if _, err := s.Commands().Do("next", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if w := s.Wall("wall").(*watch.Wall); w.Paused || w.Story.Figure != 7 || w.Story.Reached || w.Speed != 0.25 {
		t.Errorf("after next: paused %t at speed %v, story %+v", w.Paused, w.Speed, w.Story)
	}
	if _, err := s.Commands().Do("next", []byte(`{}`)); err == nil {
		t.Error("next before the figure is reached: got no error")
	}
	if _, err := s.Commands().Do("figure", []byte(`{"number":10}`)); err != nil {
		t.Fatal(err)
	}
	now = time.Now()
	play(30 * time.Second)
	if w := s.Wall("wall").(*watch.Wall); w.Paused || w.Speed != 1 || !w.Story.Over || w.Story.Figure != 10 {
		t.Errorf("after the last figure: paused %t at speed %v, story %+v", w.Paused, w.Speed, w.Story)
	}
}
