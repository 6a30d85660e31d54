import { describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { download, filesFromLoopback, never, problemOf, readText } from './support/fetching.ts';
import { type Answer, saying, startOrigin } from './support/origin.ts';

const MB = 1024 * 1024;

/** A file that begins like a JPEG. Half of it can't be compressed. */
const FILE = Buffer.concat([
  Buffer.from('ffd8ffe000104a464946', 'hex'),
  Buffer.from(Array.from({ length: 200_000 }, (_, index) => (Math.imul(index, 2654435761) >>> 13) & 0xff)),
  Buffer.alloc(200_000, 'text'),
]);

const head = (...lines: string[]): string => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;

/** Returns an answer with the body, its length and these header lines. */
const sending = (body: Uint8Array, ...lines: string[]): Answer =>
  saying(head(...lines, `Content-Length: ${body.length}`), body);

const encoded = (coding: string, body: Uint8Array): Answer => sending(body, `Content-Encoding: ${coding}`);

async function onOrigin<T>(answer: Answer, run: (url: string) => Promise<T>): Promise<T> {
  await using origin = await startOrigin(answer);
  const result = await run(origin.url);
  await origin.allClosed();
  return result;
}

const get = async (answer: Answer) =>
  Buffer.from(await onOrigin(answer, (url) => download(filesFromLoopback(), url)), 'latin1');
const fail = (answer: Answer) => onOrigin(answer, (url) => problemOf(download(filesFromLoopback(), url)));

/** Returns many megabytes of zeros, compressed. */
async function bomb(encoder: NodeJS.ReadWriteStream, megabytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  encoder.on('data', (chunk: Buffer) => chunks.push(chunk));
  const zeros = Buffer.alloc(MB);
  for (let written = 0; written < megabytes; written += 1) if (!encoder.write(zeros)) await once(encoder, 'drain');
  encoder.end();
  await once(encoder, 'end');
  return Buffer.concat(chunks);
}

describe('an uncompressed file', () => {
  test.each([
    ...['aws-chunked', 'AWS-Chunked', 'none', 'UTF-8', 'binary', 'base64', 'identity', 'Identity', '', ' , ,'],
    ...['compress', 'x-compress', 'gzipped', 'identity, aws-chunked', 'dcb', 'constructor', '__proto__', '"gzip"'],
  ])('arrives unchanged with the Content-Encoding %p', async (coding) => {
    expect(await get(encoded(coding, FILE))).toEqual(FILE);
  });

  test('arrives unchanged with several lines of unknown codings', async () => {
    const lines = ['Content-Encoding: UTF-8', 'Content-Encoding: aws-chunked'];
    expect(await get(sending(FILE, ...lines))).toEqual(FILE);
  });

  test.each(['gzip', 'x-gzip', 'aws-chunked, gzip'])('arrives unchanged even if labelled %s', async (coding) => {
    expect(await get(encoded(coding, FILE))).toEqual(FILE);
  });

  test('keeps its declared size', async () => {
    await onOrigin(encoded('aws-chunked', FILE), async (url) => {
      const file = await filesFromLoopback().open(url, { signal: never() });
      expect(file.announcedSize).toBe(FILE.length);
      expect(await readText(file.body)).toHaveLength(FILE.length);
    });
  });
});

describe('a compressed file', () => {
  test.each([
    ['gzip', gzipSync(FILE)],
    ['GZip', gzipSync(FILE)],
    ['x-gzip', gzipSync(FILE)],
    ['aws-chunked,gzip', gzipSync(FILE)],
    ['gzip, identity', gzipSync(FILE)],
    ['br', brotliCompressSync(FILE)],
    ['deflate', deflateSync(FILE)],
    ['deflate', deflateRawSync(FILE)],
  ])('is decompressed from %s (case %#)', async (coding, body) => {
    expect(await get(encoded(coding, body))).toEqual(FILE);
  });

  test('is decompressed from gzip if only the second of two Content-Encoding lines names it', async () => {
    const lines = ['Content-Encoding: UTF-8', 'Content-Encoding: gzip'];
    expect(await get(sending(gzipSync(FILE), ...lines))).toEqual(FILE);
  });

  test('is decompressed from several gzip members, and bytes after br data are ignored', async () => {
    const members = [gzipSync(FILE.subarray(0, 1000)), gzipSync(FILE.subarray(1000))];
    expect(await get(encoded('gzip', Buffer.concat(members)))).toEqual(FILE);
    expect(await get(encoded('br', Buffer.concat([brotliCompressSync(FILE), Buffer.from('more')])))).toEqual(FILE);
  });

  test.each([
    ['gzip', gzipSync('abc')],
    ['deflate', deflateSync('abc')],
    ['br', brotliCompressSync('abc')],
  ])('is decompressed from %s that arrives byte by byte in chunks', async (coding, body) => {
    const answer: Answer = async ({ socket }) => {
      socket.setNoDelay(true);
      socket.write(head(`Content-Encoding: ${coding}`, 'Transfer-Encoding: chunked'));
      for (const byte of body) {
        const chunk = Buffer.from(`1\r\n${String.fromCharCode(byte)}\r\n`, 'latin1');
        await new Promise((sent) => socket.write(chunk, sent));
      }
      socket.end('0\r\n\r\n');
    };
    expect(String(await get(answer))).toBe('abc');
  });

  test.each([
    ['gzip', gzipSync('')],
    ['gzip', Buffer.alloc(0)],
    ['gzip', Buffer.from('a')],
    ['br', brotliCompressSync('')],
  ])('is read from %s with at most one byte of content (case %#)', async (coding, body) => {
    const text = await onOrigin(encoded(coding, body), (url) => download(filesFromLoopback(), url));
    expect(text.length).toBeLessThan(2);
  });

  test('has no declared size', async () => {
    await onOrigin(encoded('gzip', gzipSync(FILE)), async (url) => {
      const file = await filesFromLoopback().open(url, { signal: never() });
      expect(file.announcedSize).toBeNull();
      file.close();
    });
  });

  test.each([
    ['gzip', () => createGzip({ level: 1 })],
    ['br', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })],
  ] as const)(
    'is decompressed from %s only as far as it is read, and no further once its reader stops',
    async (coding, create) => {
      const body = await bomb(create(), 100);
      expect(body.length).toBeLessThan(MB);
      await onOrigin(encoded(coding, body), async (url) => {
        const file = await filesFromLoopback().open(url, { signal: never() });
        let [read, max] = [0, 0];
        for await (const chunk of file.body) {
          read += chunk.length;
          max = Math.max(max, chunk.length);
          if (read > 64 * MB) break;
        }
        expect(read).toBeLessThan(65 * MB);
        expect(max).toBeLessThanOrEqual(64 * 1024);
      });
    },
  );

  test('is decompressed until its caller aborts', async () => {
    const body = await bomb(createGzip(), 64);
    await onOrigin(encoded('gzip', body), async (url) => {
      const stop = new AbortController();
      const file = await filesFromLoopback().open(url, { signal: stop.signal });
      const reader = file.body[Symbol.asyncIterator]();
      await reader.next();
      stop.abort(new Error('stopped'));
      expect(await outcomeOf(reader.next())).toThrow('stopped');
    });
  });
});

describe('a broken compressed file', () => {
  const CUT = {
    kind: 'failed',
    message: 'The server at 127.0.0.1 sent only a part of the compressed file.',
    mayRecover: true,
  } as const;
  const LET = 'Let it send the file as it is, without Content-Encoding.';
  const broken = (coding: string) => ({
    kind: 'failed' as const,
    message: `The server at 127.0.0.1 says that the file is compressed with ${coding}, but it cannot be decompressed. ${LET}`,
    mayRecover: false,
  });
  const flipped = (body: Uint8Array): Uint8Array =>
    body.map((byte, at) => (at === body.length >> 1 ? byte ^ 0xff : byte));
  const bodies = [
    ['gzip', gzipSync(FILE)],
    ['deflate', deflateSync(FILE)],
    ['br', brotliCompressSync(FILE)],
  ] as const;

  test.each(bodies)('fails if %s is truncated, even if the Content-Length matches', async (coding, body) => {
    expect(await fail(encoded(coding, body.subarray(0, -1)))).toEqual(CUT);
    expect(await fail(encoded(coding, body.subarray(0, body.length / 2)))).toEqual(CUT);
  });

  test.each(bodies)('fails like an uncompressed file if the connection ends within %s data', async (coding, body) => {
    const lines = [`Content-Encoding: ${coding}`, `Content-Length: ${body.length}`];
    const message = 'The server at 127.0.0.1 cut off the download.';
    expect(await fail(saying(head(...lines), body.subarray(0, -5)))).toEqual({
      kind: 'failed',
      message,
      mayRecover: true,
    });
  });

  test.each(bodies)('fails for good if %s is corrupt', async (coding, body) => {
    expect(await fail(encoded(coding, flipped(body)))).toEqual(broken(coding));
  });

  test.each(['br', 'deflate'])('fails for good if it is labelled %s but not compressed', async (coding) => {
    expect(await fail(encoded(coding, FILE))).toEqual(broken(coding));
  });

  test('fails for good if other bytes follow the gzip data', async () => {
    const body = Buffer.concat([gzipSync(FILE), Buffer.from('more')]);
    expect(await fail(encoded('gzip', body))).toEqual(broken('gzip'));
  });

  test.each([
    ['zstd', 'with zstd', zstdCompressSync(FILE)],
    ['ZSTD', 'with zstd', FILE],
    ['gzip, gzip', 'more than once', gzipSync(gzipSync(FILE))],
    ['br,identity,gzip', 'more than once', gzipSync(brotliCompressSync(FILE))],
  ])('fails for good with the Content-Encoding %s', async (coding, how, body) => {
    const message = `The server at 127.0.0.1 sends the file compressed ${how}. ${LET}`;
    expect(await fail(encoded(coding, body))).toEqual({ kind: 'failed', message, mayRecover: false });
  });

  test.each([
    ['a compressed transfer', saying(head('Transfer-Encoding: gzip, chunked'), '3\r\nabc\r\n0\r\n\r\n')],
    ['a compressed transfer without chunks', saying(head('Transfer-Encoding: gzip'), 'abc')],
  ])('fails for good with %s', async (_what, answer) => {
    const message =
      'The server at 127.0.0.1 sends the file compressed. Let it use only chunked as the Transfer-Encoding.';
    expect(await fail(answer)).toEqual({ kind: 'failed', message, mayRecover: false });
  });
});
