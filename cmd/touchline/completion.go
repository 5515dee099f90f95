package main

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shells write the completion script of each shell.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash": func(root *cobra.Command, w io.Writer) error {
		if _, err := io.WriteString(w, bashWords); err != nil {
			return err
		}
		return root.GenBashCompletionV2(w, true)
	},
	"zsh":        func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) },
}

// bashWords defines the one function of the package bash-completion that the script needs, where that package is missing.
const bashWords = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
	_get_comp_words_by_ref() {
		cur=${COMP_WORDS[COMP_CWORD]}
		prev=${COMP_WORDS[COMP_CWORD - 1]}
		words=("${COMP_WORDS[@]}")
		cword=$COMP_CWORD
	}
fi
`

// completionCommand returns the command completion.
func completionCommand() *cobra.Command {
	names := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a shell completion script for commands and flags",
		Long: `Completion prints a script for a shell. With it, the Tab key completes the commands of touchline, their flags, and the
values of flags that accept a fixed list.`,
		Example: `  source <(touchline completion bash)                                     in this bash
  touchline completion bash >~/.local/share/bash-completion/completions/touchline   in every bash
  touchline completion zsh >"${fpath[1]}/_touchline"                      in every zsh
  touchline completion fish >~/.config/fish/completions/touchline.fish    in every fish`,
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(names, args[0]) {
				return fmt.Errorf("completion %.40s: want bash, zsh, fish or powershell, for example touchline completion bash",
					strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return shells[args[0]](c.Root(), c.OutOrStdout()) },
	}
}

// complete adds the values of flags, by name of the flag or by the command and the flag, to the completions of a command
// and of those below it.
func complete(c *cobra.Command, values map[string][]string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		list, listed := values[c.Name()+" "+f.Name]
		if !listed {
			list, listed = values[f.Name]
		}
		complete := cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
		switch {
		case f.Name == "interface":
			complete = interfaces
		case !listed && f.Value.Type() == "string" || f.Value.Type() == "bool":
			return // perhaps a file; a bool has no value
		}
		_ = c.RegisterFlagCompletionFunc(f.Name, complete) // demo shares its flags with the program without a command
	})
	for _, sub := range c.Commands() {
		complete(sub, values)
	}
}

// interfaces completes the names of network interfaces.
func interfaces(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for i := range all {
		names = append(names, all[i].Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
