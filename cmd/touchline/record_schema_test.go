package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/internal/playback"
	"touchline/matchlog"
)

// Each message of real recordings keeps the schema of its channel, and the schemas have only what Foxglove and Lichtblick
// read: a single type each, properties of each object, and no arrays in arrays.
func TestRecordingsKeepTheirSchemas(t *testing.T) {
	dir := t.TempDir()
	session := filepath.Join(dir, "session.mcap")
	record, err := matchlog.Create(session, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runVirtual(t.Context(), match.DefaultConfig(), 3*time.Second, record); err != nil {
		t.Fatal(err)
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	game := filepath.Join(dir, "match.mcap")
	if out, errs, code := touchline(t, "match", "--seed", "7", "--half", "8s", "--record", game, "--quiet"); code != 0 {
		t.Fatalf("match: exit code %d, %s%s", code, out, errs)
	}
	want := map[string][]string{
		session: {
			playback.WallChannel, playback.NetworkChannel, playback.TCMChannel, playback.BookingChannel, playback.BehaviourChannel,
			playback.SceneChannel, playback.FieldChannel, playback.TransformsChannel,
		},
		game: {
			playback.WallChannel, playback.NetworkChannel, playback.TCMChannel, playback.BookingChannel, playback.BehaviourChannel,
			playback.SceneChannel, playback.FieldChannel, playback.TransformsChannel, "topic/match", "topic/booking.away",
			"topic/teamcom.away", playback.LogChannel, matchlog.Truth, matchlog.States,
		},
	}
	for path, channels := range want {
		l, err := openLog(path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		schemas, frames := map[string]map[string]any{}, map[string]bool{}
		for channel, s := range l.Schemas() {
			if s.Encoding == "protobuf" { // datagrams
				continue
			}
			var schema map[string]any
			if err := json.Unmarshal(s.Data, &schema); err != nil {
				t.Fatalf("%s: %v", channel, err)
			}
			schemas[channel] = schema
			if schema["type"] != "object" {
				t.Errorf("%s: the schema is of type %v", channel, schema["type"])
			}
			checkReadable(t, channel, schema)
		}
		for _, channel := range channels {
			if schemas[channel] == nil {
				t.Errorf("%s: channel %s has no schema, or no message", filepath.Base(path), channel)
			}
		}
		wrong := map[string]bool{}
		for m, err := range l.Messages(0, 0) {
			if err != nil {
				t.Fatal(err)
			}
			schema := schemas[m.Channel]
			if schema == nil {
				continue
			}
			var v any
			if err := json.Unmarshal(m.Data, &v); err != nil {
				t.Fatalf("%s: %v", m.Channel, err)
			}
			for _, text := range violations(m.Channel, schema, v) {
				wrong[text] = true
			}
			if m.Channel == playback.TransformsChannel {
				var tf struct {
					Transforms []struct {
						Child string `json:"child_frame_id"`
					}
				}
				if err := json.Unmarshal(m.Data, &tf); err != nil {
					t.Fatal(err)
				}
				once := map[string]bool{}
				for _, f := range tf.Transforms {
					if once[f.Child] {
						t.Fatalf("two robots have the frame %s", f.Child)
					}
					once[f.Child], frames[f.Child] = true, true
				}
			}
		}
		for text := range wrong {
			t.Errorf("%s: %s", filepath.Base(path), text)
		}
		if path == game && (!frames["home/3"] || !frames["away/3"]) || path == session && !frames["robot/3"] {
			t.Errorf("%s has the frames %v", filepath.Base(path), frames)
		}
	}
}

// checkReadable reports what Foxglove and Lichtblick refuse in a schema.
func checkReadable(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	switch kind := schema["type"]; kind {
	case "boolean", "integer", "number", "string":
	case "array":
		items := schema["items"].(map[string]any)
		if items["type"] == "array" {
			t.Errorf("%s: an array of arrays", path)
		}
		checkReadable(t, path+"[]", items)
	case "object":
		properties, ok := schema["properties"].(map[string]any)
		if !ok {
			t.Errorf("%s: an object without properties", path)
		}
		for name, s := range properties {
			checkReadable(t, path+"."+name, s.(map[string]any))
		}
	default:
		t.Errorf("%s: type %v", path, kind)
	}
}

// violations returns what a value breaks of a JSON Schema.
func violations(path string, schema map[string]any, v any) (wrong []string) {
	ok := false
	switch schema["type"] {
	case "boolean":
		_, ok = v.(bool)
	case "string":
		_, ok = v.(string)
	case "number":
		_, ok = v.(float64)
	case "integer":
		n, number := v.(float64)
		ok = number && n == float64(int64(n))
	case "array":
		var items []any
		items, ok = v.([]any)
		for _, item := range items {
			wrong = append(wrong, violations(path+"[]", schema["items"].(map[string]any), item)...)
		}
	case "object":
		var fields map[string]any
		fields, ok = v.(map[string]any)
		properties := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, there := fields[name.(string)]; ok && !there {
				wrong = append(wrong, fmt.Sprintf("%s.%s is missing", path, name))
			}
		}
		for name, field := range fields {
			if s, known := properties[name].(map[string]any); known {
				wrong = append(wrong, violations(path+"."+name, s, field)...)
			}
		}
	}
	if !ok {
		wrong = append(wrong, strings.TrimSpace(fmt.Sprintf("%s is %v, want %v", path, v, schema["type"])))
	}
	return slices.Compact(wrong)
}
