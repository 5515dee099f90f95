package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/dissector"
)

// dissectorCommand returns the command dissector.
func dissectorCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "dissector",
		Short: "Write the Wireshark dissector",
		Long: `Dissector writes a Lua dissector for Wireshark 4.0 and newer. It covers mixed team packages, TCM datagrams
and their messages, ball booking, worldstates and RefBox commands, FIRASim, VSSReferee, SSL-Vision, grSim, the Small
Size League and the Humanoid Soccer League. Copy the file to the folder that Wireshark lists under Help, About
Wireshark, Folders as "Personal Lua Plugins", and restart Wireshark.`,
		Example: "  touchline dissector -o touchline.lua\n" +
			"  tshark -X lua_script:touchline.lua -r capture.pcapng -Y mixedteam.expert",
		RunE: func(c *cobra.Command, _ []string) error {
			var b bytes.Buffer
			if err := dissector.Lua(&b, currentVersion().Version); err != nil {
				return err
			}
			return writeGenerated(c, out, b.Bytes())
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "",
		"write to this file, for example touchline.lua, and replace an earlier one (default: standard output)")
	return c
}

// codecCommand returns the command codec.
func codecCommand() *cobra.Command {
	var out, language string
	c := &cobra.Command{
		Use:   "codec",
		Short: "Generate a codec in C or Python",
		Long: `Codec generates structs, sizes, and pack and unpack functions for messages of fixed size, as a C header (C99,
no allocation) or a Python module: mixed team packages, the TCM's header and pieces, team messages, ball booking.`,
		Example: "  touchline codec --lang c -o touchline.h\n  touchline codec --lang python -o touchline_codec.py",
		RunE: func(c *cobra.Command, _ []string) error {
			generate, ok := map[string]func(string) []byte{"c": dissector.C, "python": dissector.Python}[language]
			if !ok {
				return console.Usage(fmt.Errorf("--lang %q: want c or python", language))
			}
			return writeGenerated(c, out, generate(currentVersion().Version))
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "",
		"write to this file, for example touchline.h, and replace an earlier one (default: standard output)")
	c.Flags().StringVar(&language, "lang", "", "c or python (required)")
	console.Accept(c.Flags(), "c or python", "lang")
	return c
}

// writeGenerated writes a program into a file, or to the standard output. A file that this command did not write stays.
func writeGenerated(c *cobra.Command, path string, program []byte) error {
	if path == "" {
		_, err := c.OutOrStdout().Write(program)
		return err
	}
	switch before, err := os.ReadFile(path); {
	case err == nil && len(before) > 0 && !strings.Contains(string(before[:min(len(before), 300)]), "ritten by touchline"):
		return console.Usage(fmt.Errorf("-o %s: the file exists and was not written by touchline: choose another name", path))
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return console.Usage(fmt.Errorf("-o %s: %w", path, err))
	}
	if err := os.WriteFile(path, program, 0o644); err != nil {
		return console.Usage(fmt.Errorf("%w; give the name of a file in a folder that exists with -o", err))
	}
	return nil
}
