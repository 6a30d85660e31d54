import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { inParallel } from '../support/run.ts';
import { command, jsonCommand, removeFolder, type Settings, scratchFolder } from '../support/server.ts';

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

/** Row: the arguments, the exit code, and the message. */
const rows = (): readonly (readonly [readonly string[], number, RegExp])[] => [
  [['nonsense'], 2, /unknown command 'nonsense'/],
  [['gc', '--faster'], 2, /unknown option '--faster'/],
  [['workspace'], 2, /./],
  [['gc', '--older-than'], 2, /argument missing/],
  [['workspace', 'create'], 2, /--name/],
  [['token', 'revoke'], 2, /an id, --name or --workspace/],
  [['token', 'revoke', unknown, '--name', 'x'], 2, /an id, --name or --workspace/],
  [['token', 'create', '--operator', '--scope', 'media:read'], 2, /--operator cannot be combined with/],
  [['token', 'create', '--workspace', workspace, '--scope', 'operator'], 2, /--operator/],
  [['token', 'rotate', unknown], 1, /There is no token/],

  [['workspace', 'list', 'x'], 2, /too many arguments/],
  [['gc', '--older-than', 'soon'], 2, /--older-than soon/],
  [['workspace', 'create', '--name', ' '], 2, /name field is required/],
  [['workspace', 'create', '--name', 'X', '--timezone', 'Mars'], 2, /Mars/],
  [['workspace', 'create', '--name', 'X', '--system-folder', 'A', '--system-folder', 'a'], 2, /folder|name/i],
  [['token', 'create'], 2, /workspace/],
  [['token', 'create', '--workspace', unknown], 2, /workspace/i],
  [['token', 'create', '--workspace', 'x'], 2, /workspace/i],
  [['token', 'create', '--workspace', workspace, '--scope', 'media:fly'], 2, /scope|media:fly/],
  [['token', 'create', '--workspace', workspace, '--expires-in', '366d'], 2, /365|expires/],
  [['token', 'create', '--workspace', workspace, '--expires-in', '0d'], 2, /expires/],
  [['token', 'create', '--workspace', workspace, '--expires-in', 'soon'], 2, /expires/],
  [['token', 'revoke', unknown], 1, /There is no token/],
  [['token', 'revoke', 'x'], 1, /token|found/i],
  [['completion', 'fish'], 2, /bash, zsh/],
  [['restore', '/nowhere/at/all.tar'], 1, /./],
  [['copy', '--from', 'sqlite:/nowhere.db', '--to', 'sqlite:/nowhere2.db'], 1, /--from/],
  [['copy'], 2, /what to copy/],
  [['demo', '--items', 'all'], 2, /--items must be a whole number/],
  [['demo', '--workspace', unknown], 1, /There is no workspace/],
];

/**
 * One error of each kind: usage, a missing value, a missing argument, an invalid value, an unknown id, a missing file,
 * and an error of the command itself.
 */
const WITH_JSON = [
  'nonsense',
  'gc --older-than',
  'token revoke',
  'gc --older-than soon',
  `token revoke ${unknown}`,
  'restore /nowhere/at/all.tar',
  'copy',
];

/** Row: invalid settings, and the message with which the start fails. */
const starts = (): readonly (readonly [Settings, RegExp])[] => [
  [
    { HOST: 'nowhere.invalid' },
    /^HOST: nowhere\.invalid does not resolve to an address; set an address of this machine, such as 127\.0\.0\.1$/,
  ],
  [{ DATA_DIR: `${dataDir}/media` }, /DATA_DIR: .*\/media holds the media of a library; set the folder above it/],
  [{ DATABASE_URL: 'mysql://a:b@c/d' }, /postgres:\/\/ with user, password, host and database/],
  [
    { DATABASE_URL: `sqlite:${dataDir}/media` },
    /Cannot open the database .*\/media: .*\. Check the path, and the rights/,
  ],
];

describe('an error', () => {
  test('at the start is one line that says what to correct', () =>
    inParallel(starts(), async ([setting, message]) => {
      const { code, stderr } = await command(['serve'], { ...settings, LOG_FORMAT: 'json', ...setting });
      expect(code).toBe(1);
      expect(JSON.parse(stderr)).toEqual({
        level: 'fatal',
        time: expect.any(String),
        msg: expect.stringMatching(message),
      });
    }));

  test.each([
    [['nonsense'], '(see postshelf --help)'],
    [['media', 'list', '--limit', '2'], '(see postshelf media list --help)'],
  ])('in a command line refers to the help of the command: %j', async (args, hint) => {
    expect((await command(args, settings)).stderr).toEndWith(`\n${hint}\n`);
  });

  test('of a command ends it with an exit code and a message on standard error', () =>
    inParallel(rows(), async ([args, code, message]) => {
      const result = await command(args, settings);
      expect({ args, code: result.code, stdout: result.stdout }).toEqual({ args, code, stdout: '' });
      expect(result.stderr).toMatch(message);
      expect(result.stderr).not.toMatch(/\n\s+at .+:\d+/);
    }));

  test('with --json is one object on standard output', () =>
    inParallel(
      rows().filter(([args]) => WITH_JSON.includes(args.join(' '))),
      async ([args, code, message]) => {
        // If the last option lacks its value, `--json` goes before this option, so that it isn't taken for the value.
        const end = args.at(-1)?.startsWith('--') ? -1 : args.length;
        const result = await command(args.toSpliced(end, 0, '--json'), settings);
        expect({ args, code: result.code, stderr: result.stderr }).toEqual({ args, code, stderr: '' });
        expect(JSON.parse(result.stdout)).toEqual(expect.objectContaining({ message: expect.any(String) }));
        expect(result.stdout).toMatch(message);
      },
    ));

  test('of a field with --json names the field', async () => {
    const { code, stdout } = await command(['workspace', 'create', '--name', ' ', '--json'], settings);
    expect(code).toBe(2);
    const sentence = 'The name field is required.';
    expect(JSON.parse(stdout)).toEqual({ message: sentence, errors: { name: [sentence] } });
  });

  test('of a setting with --json is one object on standard output', async () => {
    const { code, stdout, stderr } = await command(['token', 'list', '--json'], { ...settings, PORT: 'x' });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ message: 'PORT: must be a whole number from 1 to 65535' });
  });

  test('is not reported if help or the version is requested, and the exit code is 0', async () => {
    const asked = [['--help'], ['workspace', '--help'], ['help', 'token'], ['--version'], ['-V']];
    await inParallel(asked, async (args) => {
      expect(await command(args, settings)).toMatchObject({ code: 0, stderr: '' });
    });
  });
});

describe('list commands', () => {
  test('print a header row, and columns aligned with it', async () => {
    const made = [
      ['workspace', 'create', '--name', '日本語 a much longer name'],
      ['token', 'create', '--workspace', workspace, '--name', 'For the blog'],
      ['profile', 'create', '--workspace', workspace, '--name', 'P', '--network', 'x'],
    ];
    await inParallel(made, (args) => jsonCommand(args, settings));
    for (const [args, heads] of [
      [
        ['workspace', 'list'],
        ['ID', 'NAME', 'TIME ZONE', 'CREATED', 'BYTES', 'ITEMS'],
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
