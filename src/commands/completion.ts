import { COMMON, type Command, flagsOf, UsageProblem } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export const completionOf = (loadCommands: () => Promise<Command[]>): Command[] => [
  {
    name: 'completion',
    about: 'Print what makes a shell complete commands and flags: bash, zsh or fish.',
    operands: ['SHELL'],
    raw: async (_, [shell = '']) => {
      if (!isShell(shell)) throw new UsageProblem(`SHELL: must be ${SHELLS.join(', ')}`);
      const script = SCRIPTS[shell]((await loadCommands()).map(lineOf).sort().join('\n'));
      return { json: { shell, script }, text: script };
    },
  },
];

function isShell(text: string): text is Shell {
  return (SHELLS as readonly string[]).includes(text);
}

/** `key create --env --json`. In order, so that `import undo` comes after `import`, which is its beginning. */
function lineOf(command: Command): string {
  const flags = Object.keys({ ...flagsOf(command), ...COMMON }).map((flag) => `--${flag}`);
  return [command.name, ...flags].join(' ');
}

/**
 * The scripts have the list in them, because starting the program at each key would take too long. All do the same: what
 * was typed before the first flag begins the name of a command, or is one, with its operands. Where there is nothing to
 * say, the shell completes names of files.
 */
const SCRIPTS: Readonly<Record<Shell, (list: string) => string>> = {
  bash: (list) => `# Add this to ~/.bashrc: source <(doorlist completion bash)
_doorlist_commands='${list}'
_doorlist() {
  local current=\${COMP_WORDS[COMP_CWORD]} typed='' line name flags='' next=' ' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    typed+="$word "
  done
  while read -r line; do
    name="\${line%% --*} "
    if [[ $name == "$typed"* ]]; then
      word=\${name#"$typed"}
      word=\${word%% *}
      [[ $next == *" $word "* ]] || next+="$word "
    fi
    [[ $typed == "$name"* ]] && flags=\${line#"$name"}
  done <<< "$_doorlist_commands"
  [[ $current == -* ]] && next=$flags
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -o default -F _doorlist doorlist`,
  zsh: (list) => `# Add this to ~/.zshrc, after compinit: source <(doorlist completion zsh)
_doorlist_commands='${list}'
_doorlist() {
  local typed='' line name flags='' word
  local -aU next
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && break
    typed+="$word "
  done
  for line in "\${(@f)_doorlist_commands}"; do
    name="\${line%% --*} "
    if [[ $name == "$typed"* ]]; then
      word=\${name#"$typed"}
      word=\${word%% *}
      [[ -n $word ]] && next+=("$word")
    fi
    [[ $typed == "$name"* ]] && flags=\${line#"$name"}
  done
  [[ \${words[CURRENT]} == -* ]] && next=(\${=flags})
  if (( \${#next} )); then compadd -- "\${next[@]}"; else _files; fi
}
compdef _doorlist doorlist`,
  fish: (list) => `# Save this as ~/.config/fish/completions/doorlist.fish
set -g __doorlist_commands '${list.replaceAll('\n', "' '")}'
function __doorlist_next
    set -l typed ''
    for word in (commandline -opc)[2..]
        string match -q -- '-*' $word; and break
        set typed "$typed$word "
    end
    set -l flags
    for line in $__doorlist_commands
        set -l name (string replace -r -- ' --.*' '' $line)' '
        if test (string sub -l (string length -- $typed) -- $name) = "$typed"
            string split -n ' ' -- (string sub -s (math (string length -- $typed) + 1) -- $name) | head -n 1
        end
        if test (string sub -l (string length -- $name) -- $typed) = "$name"
            set flags (string match -ar -- '--\\S+' $line)
        end
    end
    string match -q -- '-*' (commandline -ct); and printf '%s\\n' $flags
end
complete -c doorlist -n '__doorlist_next | string length -q' -f -a '(__doorlist_next)'`,
};
