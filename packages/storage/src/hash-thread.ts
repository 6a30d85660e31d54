import { closeSync, constants, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { HashReply, HashRequest } from './filesystem/staging/hash-threads.ts';

/** Bytes read and hashed at a time: few enough to stay in the processor's cache. */
const PIECE_BYTES = 256 * 1024;

/** Bytes of a file that are hashed before the next file gets its turn. */
const TURN_BYTES = 4 * 1024 * 1024;

interface HashedFile {
  readonly descriptor: number;
  readonly hash: Bun.CryptoHasher;
  /** Bytes hashed so far. */
  position: number;
  /** Bytes written so far, which may be read. */
  written: number;
  isWhole: boolean;
}

/** The program of the thread that hashes large files while they are written (`filesystem/staging/hash-threads.ts`). */
const files = new Map<number, HashedFile>();
const piece = new Uint8Array(PIECE_BYTES);
let isAtWork = false;

const reply = (message: HashReply): void => parentPort?.postMessage(message);

function begin(id: number, path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  files.set(id, { descriptor, hash: new Bun.CryptoHasher('sha256'), position: 0, written: 0, isWhole: false });
}

function forget(id: number): void {
  const file = files.get(id);
  files.delete(id);
  if (file) closeSync(file.descriptor);
}

/** Hashes the next bytes of a file, up to {@link TURN_BYTES}. */
function hashTurn(id: number, file: HashedFile): void {
  const end = Math.min(file.written, file.position + TURN_BYTES);
  while (file.position < end) {
    const length = Math.min(PIECE_BYTES, end - file.position);
    const read = readSync(file.descriptor, piece, 0, length, file.position);
    if (read === 0) throw new Error('The file is shorter than the bytes written to it.');
    file.hash.update(piece.subarray(0, read));
    file.position += read;
  }
  if (!file.isWhole || file.position < file.written) return;
  const sha256 = file.hash.digest('hex');
  forget(id);
  reply({ id, sha256 });
}

/** Hashes all files in turns until none has more written bytes; handles messages between two turns. */
async function work(): Promise<void> {
  if (isAtWork) return;
  isAtWork = true;
  for (;;) {
    for (const [id, file] of files) replyNullOnError(id, () => hashTurn(id, file));
    if (![...files.values()].some(({ position, written }) => position < written)) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  isAtWork = false;
}

/**
 * Runs a step; if it fails, replies null. The process then hashes the file itself, and reports the error if that fails,
 * too.
 */
function replyNullOnError(id: number, step: () => void): void {
  try {
    step();
  } catch {
    forget(id);
    reply({ id, sha256: null });
  }
}

parentPort?.on('message', (request: HashRequest) => {
  if (request === 'close') return parentPort?.close();
  const { id } = request;
  if (request.kind === 'begin') return replyNullOnError(id, () => begin(id, request.path));
  if (request.kind === 'drop') return forget(id);
  const file = files.get(id);
  if (!file) return;
  file.written = request.bytes;
  file.isWhole = request.isWhole;
  void work();
});
