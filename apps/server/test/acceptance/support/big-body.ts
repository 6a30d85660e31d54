import { bigMp4 } from './fixtures.ts';
import { boundary, multipartEnd, partHead } from './multipart.ts';
import { openRaw, type RawConnection } from './raw.ts';
import type { World } from './world.ts';

/** "200 MB = 200 × 1024 × 1024 bytes". */
export const perFileLimit = 200 * 1024 * 1024;

const block = new Uint8Array(1024 * 1024);

/**
 * A multipart body with valid MP4s of the given sizes. They are generated while they are sent, so they may be larger
 * than the memory.
 */
export function bigBody(sizes: readonly number[]): { readonly length: number; chunks(): Generator<Uint8Array> } {
  const lineEnd = Buffer.from('\r\n');
  const parts = sizes.map((size, index) => ({
    head: partHead({ name: 'files[]', filename: `big-${index}.mp4`, type: 'video/mp4' }),
    movie: bigMp4(size),
    size,
  }));
  const end = multipartEnd();
  return {
    length: parts.reduce((sum, { head, size }) => sum + head.length + size + lineEnd.length, end.length),
    *chunks() {
      for (const { head, movie } of parts) {
        yield Buffer.concat([head, movie.head]);
        for (let left = movie.zeros; left > 0; left -= block.length) {
          yield left < block.length ? block.subarray(0, left) : block;
        }
        yield Buffer.concat([movie.tail, lineEnd]);
      }
      yield end;
    },
  };
}

/** The request line and headers of a multipart upload. @param length in bytes, or `chunked` to declare none */
export function uploadHead(world: World, length: number | 'chunked', ...lines: string[]): string {
  const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  return [
    `POST /v1/workspaces/${world.ids.workspace}/media_contents HTTP/1.1`,
    `Host: 127.0.0.1:${world.server.port}`,
    `Authorization: Bearer ${world.tokens.all}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    size,
    ...lines,
    '',
    '',
  ].join('\r\n');
}

/**
 * Sends a body until its end, or until the server responds or closes the connection. After an early response, the
 * server need not read the rest.
 *
 * @returns the number of bytes sent
 */
export async function sendAll(connection: RawConnection, chunks: Iterable<Uint8Array>): Promise<number> {
  let answered = false;
  void connection.reply.then(() => {
    answered = true;
  });
  let sent = 0;
  for (const chunk of chunks) {
    if (answered || !(await connection.send(chunk))) break;
    sent += chunk.length;
  }
  return sent;
}

/** Uploads valid MP4s of these sizes in one request. @returns the answer, if there is a complete one */
export async function uploadBig(world: World, sizes: readonly number[]) {
  const body = bigBody(sizes);
  const connection = await openRaw(world.server.port, 'POST');
  try {
    await connection.send(uploadHead(world, body.length));
    await sendAll(connection, body.chunks());
    return await connection.reply;
  } finally {
    connection.hangUp();
  }
}
