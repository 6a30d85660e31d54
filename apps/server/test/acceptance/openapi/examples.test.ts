import { expect } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { testsThatNeed } from '@postshelf/testing/programs';
import { serve } from '../imports/support/answers.ts';
import { loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import * as fixtures from '../support/fixtures.ts';
import { at } from '../support/reply.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { World } from '../support/world.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(
  ['bash', 'curl'],
  'the commands of README.md, docs/api.md and docs/webhooks.md',
);

const repository = resolve(import.meta.dir, '../../../../..');

/** A command in a document, and the status that the comment below it states. */
interface Example {
  readonly command: string;
  readonly status: number;
}

/** Every curl command in the shell blocks of a document. */
function examplesOf(path: string): readonly Example[] {
  const text = readFileSync(join(repository, path), 'utf8');
  return Array.from(text.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block).flatMap((block) => {
    const lines = block.replaceAll('\\\n', ' ').split('\n');
    return lines.flatMap((command, index) => {
      if (!command.startsWith('curl ')) return [];
      const [, status] = /^# (\d{3})$/.exec(lines[index + 1] ?? '') ?? [];
      if (status === undefined) throw new Error(`${path} doesn't state the status of ${command}`);
      return [{ command, status: Number(status) }];
    });
  });
}

const documents = ['README.md', 'docs/api.md', 'docs/webhooks.md'].map((path) => [path, examplesOf(path)] as const);

describe('code in the documents', () => {
  let world: World;
  let folder: string;

  beforeAll(async () => {
    folder = scratchFolder();
    world = await World.open();
  });

  afterAll(async () => {
    await world.close();
    removeFolder(folder);
  });

  test('the script of docs/api.md uploads a file to its presigned URL', async () => {
    const text = readFileSync(join(repository, 'docs/api.md'), 'utf8');
    const [, page = ''] = /^```js\n(.*?)^```/ms.exec(text) ?? [];
    expect(page).toContain('upload_headers');
    const script = join(folder, 'page.mjs');
    writeFileSync(join(folder, 'film.mp4'), fixtures.mp4());
    writeFileSync(
      script,
      `const { token, base, workspace } = process.env;
       const file = new File([await Bun.file('film.mp4').bytes()], 'film.mp4', { type: 'video/mp4' });
       ${page}
       console.log(JSON.stringify(item));`,
    );
    const run = Bun.spawn([process.execPath, script], {
      cwd: folder,
      env: {
        token: String(world.tokens.all),
        base: `${world.server.url}/v1`,
        workspace: String(world.ids.workspace),
      },
      stdout: 'pipe',
    });
    expect(JSON.parse(await new Response(run.stdout).text())).toMatchObject({ name: 'film.mp4', status: 'active' });
  });

  test('the service accepts the form of every command in docs/reference.md', async () => {
    const text = readFileSync(join(repository, 'docs/reference.md'), 'utf8');
    // A stream of events never ends, so its command isn't run here.
    const commands = Array.from(text.matchAll(/^```sh\n(.*?)^```/gms), ([, command = '']) => command.trim()).filter(
      (command) => !command.includes('/events"'),
    );
    for (const name of ['beach.jpg', 'file']) writeFileSync(join(folder, name), fixtures.jpeg());
    writeFileSync(join(folder, '.curlrc'), 'silent\noutput = /dev/null\nwrite-out = "%{http_code}\\n"\n');
    const shell = Bun.spawn(['bash', '-uc', commands.join('\n')], {
      cwd: folder,
      env: {
        PATH: String(process.env.PATH),
        CURL_HOME: folder,
        BASE: `${world.server.url}/v1`,
        WORKSPACE: String(world.ids.workspace),
        TOKEN: String(world.tokens.all),
        ID: crypto.randomUUID(),
        FOLDER: crypto.randomUUID(),
      },
      stdout: 'pipe',
    });
    const statuses = (await new Response(shell.stdout).text()).trim().split('\n');
    expect(statuses).toHaveLength(commands.length);
    const answers = commands.map((command, index) => ({ command, status: Number(statuses[index]) }));
    expect(answers.filter(({ status }) => status >= 500 || [0, 400, 401, 405, 415].includes(status))).toEqual([]);
  });
});

/** Returns the method and the URL of a curl command, as a name for its test. */
function requestOf(command: string): string {
  const implied = / -T /.test(command) ? 'PUT' : / -[dF] /.test(command) ? 'POST' : 'GET';
  const method = / -X ([A-Z]+)/.exec(command)?.[1] ?? implied;
  return `${method} ${/\$(?:BASE|UPLOAD_URL)[^\s"]*/.exec(command)?.[0]}`;
}

describe.each(documents)('the examples of %s', (path, examples) => {
  let world: World;
  let origin: Origin;
  let folder: string;
  /** The variables that a reader sets, or copies from answers. */
  let variables: Record<string, string>;

  beforeAll(async () => {
    folder = scratchFolder();
    [world, origin] = await Promise.all([
      World.open({ ...loopback, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' }),
      Origin.open(),
    ]);
    writeFileSync(join(folder, 'beach.jpg'), fixtures.jpeg());
    writeFileSync(join(folder, 'film.mp4'), fixtures.mp4());
    writeFileSync(join(folder, 'posts.ndjson'), '{"external_id": "1", "published_at": "2026-01-31T18:30:00Z"}\n');
    // The commands run unchanged. This configuration makes curl print the status after the body.
    writeFileSync(join(folder, '.curlrc'), 'silent\nshow-error\nwrite-out = "\\n%{http_code}"\n');
    variables = {
      BASE: `${world.server.url}/v1`,
      WORKSPACE: String(world.ids.workspace),
      TOKEN: String(world.tokens.all),
    };
  });

  afterAll(async () => {
    origin.close();
    await world.close();
    removeFolder(folder);
  });

  /**
   * Runs a command in a shell, with its example.com URLs replaced by local ones. Copies ids and upload URLs from the
   * response into variables.
   */
  async function run(command: string): Promise<{ status: number; body: string }> {
    const local = command
      .replace('https://example.com/clip.mp4', origin.page('clip.mp4', serve(fixtures.mp4())).url)
      .replace('https://example.com/beach.jpg', origin.page('beach.jpg', serve(fixtures.jpeg())).url)
      .replace('https://example.com/postshelf', origin.page('postshelf', serve(new Uint8Array())).url);
    const shell = Bun.spawn(['bash', '-euc', local], {
      cwd: folder,
      env: { PATH: String(process.env.PATH), CURL_HOME: folder, HOME: folder, ...variables },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [output, trouble] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()]);
    const code = await shell.exited;
    // curl exits with 28 when its time limit has ended a stream of events.
    if (code !== 0 && !(code === 28 && command.includes('--max-time')))
      throw new Error(`${local} failed: ${trouble}${output}`);
    const end = output.lastIndexOf('\n');
    const body = output.slice(0, end);
    if (body.startsWith('{')) copyFrom(JSON.parse(body));
    return { status: Number(output.slice(end + 1)), body };
  }

  function copyFrom(answer: unknown): void {
    const data = at(answer, 'data');
    const item = Array.isArray(data) ? data.at(-1) : data;
    const id = at(item, 'id');
    const address = at(item, 'upload_url');
    if (typeof id === 'string') variables[kindOf(item)] = id;
    if (typeof address === 'string') variables.UPLOAD_URL = address;
  }

  /** The name of the variable that the documents use for the id of an item. */
  function kindOf(item: unknown): string {
    if (at(item, 'full_name') !== undefined) return 'ID';
    if (at(item, 'metrics') !== undefined) return 'POST';
    if (at(item, 'secret') !== undefined) return 'WEBHOOK';
    if (at(item, 'attempts') !== undefined) return 'DELIVERY';
    return at(item, 'network') === undefined ? 'FOLDER' : 'PROFILE';
  }

  test('exist', () => {
    expect(examples.length).toBeGreaterThan(path === 'docs/api.md' ? 10 : 0);
  });

  for (const [index, { command, status }] of examples.entries()) {
    test(`number ${index + 1} is answered ${status}: ${requestOf(command)}`, async () => {
      const reply = await run(command);
      expect(reply).toEqual({ status, body: reply.body });
    });
  }
});
