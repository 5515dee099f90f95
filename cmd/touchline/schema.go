package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"touchline/internal/analysis/export"
	"touchline/internal/batch"
	"touchline/internal/batch/queue"
	"touchline/internal/console"
	"touchline/internal/doctor"
	"touchline/internal/hslgame"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/station/stationnet"
	"touchline/internal/vss/learn/learnnet"
)

// outputs are the types of what --json prints, by command. A command with several prints one of them, by its flags, or
// lines of each.
var outputs = map[string][]reflect.Type{
	"batch compare": {reflect.TypeFor[batchCompared]()},
	"batch league":  {reflect.TypeFor[batch.Report]()},
	"batch plan":    {reflect.TypeFor[planned]()},
	"batch report":  {reflect.TypeFor[batch.Report]()},
	"batch run":     {reflect.TypeFor[batchRan]()},
	"batch status":  {reflect.TypeFor[batchStatus]()},
	"batch tune":    {reflect.TypeFor[batchTuned]()},
	"check":         {reflect.TypeFor[checkReport]()},
	"compare":       {reflect.TypeFor[comparedLogs](), reflect.TypeFor[comparedTeams]()},
	"demo":          {reflect.TypeFor[[]scoreRow](), reflect.TypeFor[matchnet.Report]()},
	"doctor":        {reflect.TypeFor[doctor.Report]()},
	"export":        {reflect.TypeFor[export.Result]()},
	"hsl":           {reflect.TypeFor[hslgame.Report]()},
	"learn":         {reflect.TypeFor[learnnet.Speed]()},
	"lobby":         {reflect.TypeFor[match.LobbyView]()},
	"log cut":       {reflect.TypeFor[writtenLog]()},
	"log export":    {reflect.TypeFor[writtenLog]()},
	"log decisions": {reflect.TypeFor[decisionList]()},
	"log info":      {reflect.TypeFor[[]namedInfo]()},
	"log merge":     {reflect.TypeFor[writtenLog]()},
	"log note":      {reflect.TypeFor[[]shownNote]()},
	"match":         {reflect.TypeFor[matchResult]()},
	"record":        {reflect.TypeFor[recorded]()},
	"refbox":        {reflect.TypeFor[addresses](), reflect.TypeFor[standbyAddresses]()},
	"report":        {reflect.TypeFor[[]reported]()},
	"replay": {
		reflect.TypeFor[replayPage](), reflect.TypeFor[replayPicture](), reflect.TypeFor[stationnet.ReplayResult](),
	},
	"robot":    {reflect.TypeFor[matchnet.RobotReport]()},
	"sim ssl":  {reflect.TypeFor[simSSLSummary]()},
	"sim vss":  {reflect.TypeFor[simSummary]()},
	"station":  {reflect.TypeFor[printedCommand](), reflect.TypeFor[refboxnet.ReaderReport]()},
	"worker":   {reflect.TypeFor[queue.Worker]()},
	"tcm recv": {reflect.TypeFor[waitingEvent](), reflect.TypeFor[progressEvent](), reflect.TypeFor[receivedEvent]()},
	"tcm send": {reflect.TypeFor[progressEvent](), reflect.TypeFor[sentEvent]()},
	"version":  {reflect.TypeFor[Version]()},
}

// addSchemas gives each command that prints JSON the flag --json-schema.
func addSchemas(c *cobra.Command) {
	for _, sub := range c.Commands() {
		addSchemas(sub)
	}
	types := outputs[strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")]
	if types == nil {
		return
	}
	wanted := c.Flags().Bool("json-schema", false, "print the JSON Schema of what --json prints, and exit")
	args, run := c.Args, c.RunE
	c.Args = func(c *cobra.Command, names []string) error {
		if *wanted || args == nil {
			return nil
		}
		return args(c, names)
	}
	c.RunE = func(c *cobra.Command, names []string) error {
		if !*wanted {
			return run(c, names)
		}
		schema, err := schemaOf(types)
		if err != nil {
			return err
		}
		return console.PrintJSON(c.OutOrStdout(), schema)
	}
}

// schemaOf returns the schema of a value of one of some types. Readers must accept members that it does not name:
// later versions may add some.
func schemaOf(types []reflect.Type) (*jsonschema.Schema, error) {
	var all []*jsonschema.Schema
	for _, t := range types {
		s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: textTypes(t)})
		if err != nil {
			return nil, fmt.Errorf("the schema of %v: %w", t, err)
		}
		open(s)
		all = append(all, s)
	}
	if len(all) > 1 {
		all[0] = &jsonschema.Schema{AnyOf: append([]*jsonschema.Schema{}, all...)}
	}
	all[0].Schema = "https://json-schema.org/draft/2020-12/schema"
	return all[0], nil
}

// textTypes returns the schemas of the types in t that encode themselves: as text, or as any JSON.
func textTypes(t reflect.Type) map[reflect.Type]*jsonschema.Schema {
	found, seen := map[reflect.Type]*jsonschema.Schema{}, map[reflect.Type]bool{}
	var search func(reflect.Type)
	search = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch kind := t.Kind(); {
		case t.Implements(reflect.TypeFor[json.Marshaler]()):
			found[t] = &jsonschema.Schema{}
		case kind != reflect.Pointer && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
			found[t] = &jsonschema.Schema{Type: "string"}
		case kind == reflect.Pointer, kind == reflect.Slice, kind == reflect.Array, kind == reflect.Map:
			search(t.Elem())
		case kind == reflect.Struct:
			for _, f := range reflect.VisibleFields(t) {
				search(f.Type)
			}
		}
	}
	search(t)
	return found
}

// open lets the objects of a schema have further members.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.AdditionalProperties = nil
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
}
