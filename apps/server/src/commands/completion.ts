import { Argument, Command, type Help, type Option } from 'commander';
import { standardOutput } from './print.ts';

const SHELLS = ['bash', 'zsh'] as const;

/** A command and the words that can follow it. The command `''` is the program itself. */
interface Node {
  readonly path: string;
  /** The path of the parent command. `names` contains the command's name and its aliases. */
  readonly parent: string;
  readonly names: readonly string[];
  readonly words: readonly string[];
  /** Options that take a value, each with the values to choose from; none if any value is allowed. */
  readonly values: readonly { readonly option: string; readonly choices: readonly string[] }[];
}

/**
 * Builds `postshelf completion bash|zsh`, which prints a completion script for a shell.
 *
 * @param program the program whose commands are completed
 */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('print a script that completes commands in a shell: eval "$(postshelf completion bash)"')
    .addArgument(new Argument('<shell>', 'which').choices(SHELLS))
    .option('--json', 'print one JSON object, {shell, script}')
    .action((shell: (typeof SHELLS)[number], { json }: { json?: boolean }) => {
      const nodes = nodesOf(program, program.createHelp(), []);
      const script = shell === 'bash' ? bash(nodes) : zsh(nodes);
      standardOutput().write(json ? `${JSON.stringify({ shell, script })}\n` : script);
    });
}

function nodesOf(command: Command, help: Help, path: readonly string[]): readonly Node[] {
  const commands = help.visibleCommands(command);
  const options = help.visibleOptions(command);
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  const node = {
    path: path.join(' '),
    parent: path.slice(0, -1).join(' '),
    names: [command.name(), ...command.aliases()],
    words: [...commands.map((child) => child.name()), ...options.flatMap(namesOf), ...choices],
    values: options
      .filter((option) => option.required || option.optional)
      .flatMap((option) => namesOf(option).map((name) => ({ option: name, choices: option.argChoices ?? [] }))),
  };
  return [node, ...commands.flatMap((child) => nodesOf(child, help, [...path, child.name()]))];
}

const namesOf = ({ short, long }: Option): readonly string[] => [short, long].filter((name) => name !== undefined);

/** Quotes words for a shell. Commands and options consist of letters and hyphens, so they need no escaping. */
const quoted = (words: readonly string[]): string => `'${words.join(' ')}'`;

/** Returns the shell code that determines the command from the previous words, and prints the words that can follow. */
const followers = (nodes: readonly Node[]): string => `  local at='' word follow='' previous=''
  for word in "$@"; do
    case "$at $word" in
${nodes
  .filter(({ path }) => path !== '')
  .map(({ path, parent, names }) => `      ${names.map((name) => `'${parent} ${name}'`).join(' | ')}) at='${path}' ;;`)
  .join('\n')}
    esac
    previous=$word
  done
  case "$at $previous" in
${nodes
  .flatMap(({ path, values }) =>
    values.map(({ option, choices }) => `    '${path} ${option}') printf '%s' ${quoted(choices)}; return 1 ;;`),
  )
  .join('\n')}
  esac
  case "$at" in
${nodes.map(({ path, words }) => `    '${path}') follow=${quoted(words)} ;;`).join('\n')}
  esac
  printf '%s' "$follow"`;

/** Where any value is allowed, the script completes file names. */
const bash = (nodes: readonly Node[]): string => `# bash completion of postshelf
_postshelf_followers() {
${followers(nodes)}
}
_postshelf() {
  local current=\${COMP_WORDS[COMP_CWORD]} words
  words=$(_postshelf_followers "\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _postshelf postshelf
`;

const zsh = (nodes: readonly Node[]): string => `#compdef postshelf
# zsh completion of postshelf
_postshelf_followers() {
${followers(nodes)}
}
_postshelf() {
  local -a found
  found=(\${=$(_postshelf_followers "\${(@)words[2,CURRENT-1]}")})
  if (( \${#found} )); then compadd -- $found; fi
  if (( ! \${#found} )) || [[ $PREFIX != -* ]]; then _files; fi
}
if [[ $funcstack[1] == _postshelf ]]; then _postshelf "$@"; else compdef _postshelf postshelf; fi
`;
