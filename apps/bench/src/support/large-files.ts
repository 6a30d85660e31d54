import { END, partHead } from './multipart.ts';
import { makePhoto } from './photo.ts';

const MIB = 1024 * 1024;

/** Bytes of each file: the most that multipart takes (docs/api.md, "Limits"). */
const FILE_BYTES = 200 * MIB;

/**
 * A multipart body with so many files of 200 MiB, in chunks of a megabyte: each a JPEG, with bytes behind its end that no
 * file system could leave out.
 */
export async function filesOf(files: number): Promise<Iterable<Uint8Array>> {
  const photo = await makePhoto();
  const filling = crypto.getRandomValues(new Uint8Array(MIB / 16));
  const chunk = Buffer.concat(Array.from({ length: 16 }, () => filling));
  return chunks(files, photo, chunk);
}

function* chunks(files: number, photo: Uint8Array, filling: Uint8Array): Generator<Uint8Array> {
  for (let nth = 0; nth < files; nth++) {
    yield Buffer.from(partHead(`${nth}.jpg`));
    yield photo;
    yield filling.subarray(photo.length);
    for (let sent = filling.length; sent < FILE_BYTES; sent += filling.length) yield filling;
  }
  yield Buffer.from(END);
}

/** The chunks as a body that is made while it is sent. */
export function streamOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}
