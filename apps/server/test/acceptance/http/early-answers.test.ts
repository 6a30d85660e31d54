import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { sized } from '../support/long.ts';
import { boundary, partHead } from '../support/multipart.ts';
import { run } from '../support/run.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.token('reader', '{workspace}', ['--scope', 'media:read']);
});
afterAll(() => world.close());

const MIB = 1024 * 1024;
const TIMES = sized(5, 20);

interface Row {
  readonly path: string;
  readonly token: string;
  readonly type: string;
  readonly start: string;
  readonly bytes: number;
  readonly end: string;
  readonly status: string;
}

/**
 * How a client sends a body: in chunks, or with a `Content-Length`. Each request with a length has its own connection.
 */
type Framing = 'chunks' | 'length';

const upload = '/v1/workspaces/{workspace}/media_contents';
const part = (): string => partHead({ name: 'files[]', filename: 'a.jpg', type: 'image/jpeg' }).toString();
const form = (status: string, given: Partial<Row> = {}): Row => {
  const type = `multipart/form-data; boundary=${boundary}`;
  const end = `\r\n--${boundary}--\r\n`;
  return { path: upload, token: 'all', type, start: part(), bytes: 8 * MIB, end, status, ...given };
};
const json = (status: string, given: Partial<Row> = {}): Row => {
  const content = { type: 'application/json', start: '{"url":"', bytes: 8 * MIB, end: '"}' };
  return { path: upload, token: 'all', ...content, status, ...given };
};

test.each<Framing>(['chunks', 'length'])(
  'Node clients get every early response while they send a body (framed by %s)',
  async (framing) => {
    const elevenFiles = `${part()}x\r\n`.repeat(10) + part();
    const rows: readonly Row[] = [
      form('401 message', { token: 'none' }),
      json('401 message', { token: 'none' }),
      form('403 message', { token: 'reader' }),
      form('404 message', { path: '/v1/nowhere' }),
      form('404 message', { path: upload.replace('{workspace}', '{foreign}') }),
      form('405 message', { path: '/health' }),
      form('415 message', { type: 'video/mp4' }),
      json('413 message'),
      json('413 message', { path: '/trpc/folders.create' }),
      form('422 message,errors', { start: elevenFiles }),
      form('400 message', { start: `--${boundary}, and no line end` }),
    ];
    const fill = ({ path, token, type, status: _, ...content }: Row) => {
      const headers = { authorization: `Bearer ${world.tokens[token] ?? token}`, 'content-type': type };
      const length = Buffer.byteLength(content.start + content.end) + content.bytes;
      const framed = framing === 'length' ? { connection: 'close', 'content-length': length } : {};
      return { path: world.fill(path), headers: { ...headers, ...framed }, ...content };
    };
    const script = join(import.meta.dir, 'support/node-client.mjs');
    const given = JSON.stringify({ url: world.server.url, times: TIMES, requests: rows.map(fill) });
    const printed = await run(['node', script, given], { cwd: import.meta.dir, env: { PATH: process.env.PATH ?? '' } });
    expect(JSON.parse(printed)).toEqual(rows.map(({ status }) => ({ [status]: TIMES })));
  },
);
