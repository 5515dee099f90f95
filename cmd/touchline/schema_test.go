package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
)

// Each command that prints JSON prints its schema, too.
func TestSchemas(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if c.Flags().Lookup("json") == nil || !c.HasParent() {
			return
		}
		name := strings.TrimPrefix(c.CommandPath(), "touchline ")
		if outputs[name] == nil {
			t.Errorf("%s has --json, and no row among the schemas", name)
			return
		}
		for _, member := range membersOf(schemaFor(t, name).Schema()) {
			if !camelCase.MatchString(member) {
				t.Errorf("%s --json has a member %q; write it as the others, such as robotID", name, member)
			}
		}
	}
	walk(rootCommand())
}

var camelCase = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)

// membersOf returns the names of all members in a schema.
func membersOf(s *jsonschema.Schema) (names []string) {
	if s == nil {
		return nil
	}
	for name, p := range s.Properties {
		names = append(append(names, name), membersOf(p)...)
	}
	for _, one := range s.AnyOf {
		names = append(names, membersOf(one)...)
	}
	return append(names, membersOf(s.Items)...)
}

// schemaFor returns what a command prints with --json-schema.
func schemaFor(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	out, errs, code := touchline(t, append(strings.Fields(name), "--json-schema")...)
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(out), &s); err != nil || code != 0 {
		t.Fatalf("%s --json-schema: exit %d, %v\n%s%s", name, code, err, out, errs)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return resolved
}

// The output of each command fits its schema, and a value of another type does not.
func TestOutputsHoldTheirSchemas(t *testing.T) {
	log := filepath.Join(t.TempDir(), "m.mcap")
	for _, args := range [][]string{
		{"match", "--half", "2s", "--json", "--record", log},
		{"log", "info", "--json", log},
		{"export", "--json", "--as", "csv", "-o", filepath.Join(t.TempDir(), "export"), log},
		{"log", "cut", "--json", "--to", "1s", "-o", filepath.Join(t.TempDir(), "cut.mcap"), log},
		{"check", "--json", "../../wire/vectors/mixedteam-v2.txt"},
		{"check", "--json", log},
		{"demo", "--headless", "--speed", "max", "--duration", "2s", "--json"},
		{"version", "--json"},
	} {
		name := args[0]
		if name == "log" {
			name += " " + args[1]
		}
		schema := schemaFor(t, name)
		out, errs, _ := touchline(t, args...)
		var v any
		if err := json.Unmarshal([]byte(out), &v); err != nil {
			t.Fatalf("%q printed no JSON: %v\n%s%s", args, err, out, errs)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if schema.Validate("text") == nil {
			t.Errorf("the schema of %s holds for any text", name)
		}
	}
}
