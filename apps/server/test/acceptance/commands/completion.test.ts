import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { command, jsonCommand, removeFolder, scratchFolder } from '../support/server.ts';

let folder: string;
beforeAll(async () => {
  folder = scratchFolder();
  for (const shell of ['bash', 'zsh']) {
    const { code, stdout, stderr } = await command(['completion', shell], {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    writeFileSync(join(folder, shell), stdout);
  }
});
afterAll(() => removeFolder(folder));

async function run(...words: readonly string[]): Promise<string> {
  const child = Bun.spawn([...words], { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
  const [text, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(complaint).toBe('');
  return text;
}

/** The completions that bash offers for a line, the last word of which is being typed. */
async function offered(line: string): Promise<string[]> {
  const words = ['postshelf', ...line.split(' ')];
  const script = `source ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _postshelf; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = await run('bash', '--norc', '-c', script, 'bash', ...words);
  return text.split('\n').filter((word) => word !== '');
}

/** The commands that a help text lists. */
const commandsIn = (help: string): string[] =>
  Array.from((help.split('Commands:\n')[1] ?? '').matchAll(/^ {2}(\w[\w-]*)/gm), ([, name = '']) => name);

const optionsIn = (help: string): string[] => Array.from(help.matchAll(/(?<=[ ,])--[a-z][\w-]*/g), ([name]) => name);

describe.skipIf(!hasPrograms(['bash'], 'completion in bash'))('completion in bash', () => {
  test('offers the commands and options that the help lists', async () => {
    const help = async (...path: readonly string[]) => (await command([...path, '--help'], {})).stdout;
    expect((await offered('')).filter((word) => !word.startsWith('-')).sort()).toEqual(commandsIn(await help()).sort());
    const words = await offered('workspace ');
    const parts = commandsIn(await help('workspace'));
    for (const part of parts) expect(words).toContain(part);
    await Promise.all(
      parts
        .filter((part) => part !== 'help')
        .map(async (part) => {
          const options = new Set((await offered(`workspace ${part} --`)).sort());
          expect([part, ...options]).toEqual([part, ...new Set(optionsIn(await help('workspace', part)).sort())]);
        }),
    );
  });

  test.each([
    ['wor', ['workspace', 'worker']],
    ['workspace d', ['delete']],
    ['folders cre', ['create']],
    ['jobs list --state ', ['waiting', 'running', 'failed']],
    ['webhooks update --no-', ['--no-enabled']],
    ['token create --exp', ['--expires-in']],
    ['completion ', ['bash', 'zsh']],
    ['workspace list --json ', ['--json', '--help']],
    // The script offers nothing here, so that the shell completes file names: the option's values aren't known.
    ['token create --workspace ', []],
    ['backup --with-', ['--with-media']],
    ['nonsense x', []],
  ])('after "%s" offers %j', async (line, words) => {
    const found = await offered(line);
    for (const word of words) expect(found).toContain(word);
    if (words.length === 0) expect(found).toEqual([]);
  });

  test('falls back to file names for the values of options', async () => {
    expect(await run('bash', '--norc', '-c', 'source ./bash && complete -p postshelf')).toContain('-o default');
  });
});

describe.skipIf(!hasPrograms(['zsh'], 'completion in zsh'))('completion in zsh', () => {
  test('offers commands and options in a terminal', async () => {
    // zsh runs in a pseudo-terminal, because it only completes interactively.
    const script = `
      zmodload zsh/zpty
      zpty shell 'zsh -f -i'
      zpty -w shell 'PS1= ; cd ${folder}; autoload -U compinit; compinit -u -D; source ./zsh; zstyle ":completion:*" list-prompt ""; print REA""DY'
      zpty -r -m shell out '*READY*'
      zpty -w -n shell $'postshelf works\\t upd\\t --time\\t '
      zpty -w -n shell $'\\C-a#\\n'
      zpty -w shell 'print DO""NE'
      zpty -r -m shell out '*DONE*'
      print -r -- $out
    `;
    const text = await run('zsh', '-f', '-c', script);
    // The text that the terminal shows, without bells and erased characters.
    const shown = Bun.stripANSI(text).replaceAll('\u0007', '').replaceAll(' \b', '');
    expect(shown).toMatch(/workspace *update *--timezone/);
  });
});

test('the completion command with --json prints one object', async () => {
  const { shell, script } = await jsonCommand(['completion', 'zsh'], {});
  expect(shell).toBe('zsh');
  expect(script).toStartWith('#compdef postshelf\n');
});
