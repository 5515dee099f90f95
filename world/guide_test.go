package world_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"touchline/world"
)

// The guide of docs/world.md names each call of a Model, and the usual cause of each count.
func TestGuideIsComplete(t *testing.T) {
	text, err := os.ReadFile("../docs/world.md")
	if err != nil {
		t.Fatal(err)
	}
	_, guide, found := strings.Cut(string(text), "\n## In your robot\n")
	guide, _, ended := strings.Cut(guide, "\n## ")
	if !found || !ended {
		t.Fatal("docs/world.md has no section In your robot")
	}
	model := reflect.TypeFor[*world.Model]()
	for i := range model.NumMethod() {
		if name := model.Method(i).Name; !strings.Contains(guide, "`"+name) {
			t.Errorf("the guide does not name Model.%s", name)
		}
	}
	counts := reflect.TypeFor[world.Counts]()
	for i := range counts.NumField() {
		if name := counts.Field(i).Name; !strings.Contains(guide, "`"+name+"`") {
			t.Errorf("the guide does not name Counts.%s", name)
		}
	}
}
