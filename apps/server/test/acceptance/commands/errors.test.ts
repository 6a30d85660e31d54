import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { command, jsonCommand, removeFolder, type Settings, scratchFolder } from '../support/server.ts';

setDefaultTimeout(60_000);

let dataDir: string;
let settings: Settings;
let workspace: string;
beforeAll(async () => {
  dataDir = scratchFolder();
  settings = { DATA_DIR: dataDir };
  await jsonCommand(['migrate'], settings);
  workspace = String((await jsonCommand(['workspace', 'create', '--name', 'Errors'], settings)).id);
});
afterAll(() => removeFolder(dataDir));

const unknown = '01890000-0000-7000-8000-000000000000';

/** What is asked, how it ends, and what is said. */
const rows: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['no such command', ['nonsense'], 2, /unknown command 'nonsense'/],
  ['no command of a group', ['workspace'], 2, /./],
  ['no such option', ['gc', '--faster'], 2, /unknown option '--faster'/],
  ['an option without its value', ['gc', '--older-than'], 2, /argument missing/],
  ['a missing option', ['workspace', 'create'], 2, /--name/],
  ['a missing argument', ['token', 'revoke'], 2, /missing required argument 'id'/],
  ['too many arguments', ['workspace', 'list', 'x'], 2, /too many arguments/],
  ['a value that is none', ['gc', '--older-than', 'soon'], 2, /--older-than soon/],
  ['a time zone that is none', ['workspace', 'create', '--name', 'X', '--timezone', 'Mars'], 2, /Mars/],
  ['a shell that is none', ['completion', 'fish'], 2, /bash, zsh/],
  ['an id of nothing', ['token', 'revoke', unknown], 1, /There is no token/],
  ['a file that cannot be read', ['restore', '/nowhere/at/all.tar'], 1, /./],
  ['a copy from nowhere', ['copy', '--from', 'sqlite:/nowhere.db', '--to', 'sqlite:/nowhere2.db'], 1, /--from/],
  ['a copy of nothing', ['copy'], 2, /what to copy/],
];

describe('errors', () => {
  test.each([...rows])('%s: the exit code, and a line on standard error', async (_, args, code, message) => {
    const result = await command(args, settings);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toMatch(/\n\s+at .+:\d+/);
  });

  test.each([...rows])('%s, with --json: one object on standard output', async (_, args, code, message) => {
    // Where the value of an option is missing, --json must not become it.
    const end = args.at(-1)?.startsWith('--') ? -1 : args.length;
    const result = await command(args.toSpliced(end, 0, '--json'), settings);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code, stderr: '' });
    const error: unknown = JSON.parse(result.stdout);
    expect(error).toEqual(expect.objectContaining({ message: expect.any(String) }));
    expect(result.stdout).toMatch(message);
  });

  test('of fields, with --json, name the fields', async () => {
    const { code, stdout } = await command(['workspace', 'create', '--name', ' ', '--json'], settings);
    expect(code).toBe(2);
    const sentence = 'The name field is required.';
    expect(JSON.parse(stdout)).toEqual({ message: sentence, errors: { name: [sentence] } });
  });

  test('of settings, with --json, are one object too', async () => {
    const { code, stdout, stderr } = await command(['token', 'list', '--json'], { ...settings, PORT: 'x' });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ message: 'PORT: must be a whole number from 1 to 65535' });
  });

  test('what is asked for help and version ends well', async () => {
    for (const args of [['--help'], ['workspace', '--help'], ['help', 'token'], ['--version'], ['-V']]) {
      expect(await command(args, settings)).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

describe('lists', () => {
  test('have a line of heads, and columns that stand below them', async () => {
    await jsonCommand(['workspace', 'create', '--name', '日本語 a much longer name'], settings);
    await jsonCommand(['token', 'create', '--workspace', workspace, '--name', 'For\nthe blog'], settings);
    await jsonCommand(['profile', 'create', '--workspace', workspace, '--name', 'P', '--network', 'x'], settings);
    for (const [args, heads] of [
      [
        ['workspace', 'list'],
        ['ID', 'NAME', 'TIME ZONE', 'CREATED'],
      ],
      [
        ['token', 'list'],
        ['ID', 'NAME', 'WORKSPACES', 'STATE', 'LAST USED'],
      ],
      [
        ['profile', 'list', '--workspace', workspace],
        ['ID', 'NAME', 'NETWORK', 'CREATED'],
      ],
    ] as const) {
      const { stdout } = await command(args, settings);
      const [head = '', ...lines] = stdout.trimEnd().split('\n');
      expect(head.split(/ {2,}/)).toEqual([...heads]);
      expect(lines.length).toBeGreaterThan(0);
      const last = heads.at(-1) ?? '';
      const place = Bun.stringWidth(head.slice(0, head.indexOf(last)));
      for (const line of lines) {
        const cells = line.split(/ {2,}/);
        expect(cells).toHaveLength(heads.length);
        expect(Bun.stringWidth(line) - Bun.stringWidth(cells.at(-1) ?? '')).toBe(place);
      }
    }
    const empty = String((await jsonCommand(['workspace', 'create', '--name', 'Empty'], settings)).id);
    expect((await command(['profile', 'list', '--workspace', empty], settings)).stdout).toBe('None yet.\n');
  });
});
