import { createHash, type Hash } from 'node:crypto';
import { hashed } from '../../body/hashed.ts';
import type { Part } from '../../body/part-head.ts';

type FilePart = Part & { readonly kind: 'file' };

/** A value that differs between different requests with the same key. */
export interface Fingerprint {
  /** Returns the value. May only be called once the whole request has been read. */
  value(): string;
}

/** Adds each piece after its length, so that different lists of pieces have different hashes. */
function add(hash: Hash, pieces: readonly string[]): Hash {
  for (const piece of pieces) hash.update(`${Buffer.byteLength(piece)}:`).update(piece);
  return hash;
}

const hashOf = (pieces: readonly string[]): string => add(createHash('sha256'), pieces).digest('hex');

/**
 * Returns the fingerprint of parsed values. It doesn't depend on how the values were formatted in the request.
 *
 * @param requestLine the request's method, path and query
 */
export const fingerprintOfFields = (requestLine: readonly string[], fields: unknown): Fingerprint => ({
  value: () => hashOf([...requestLine, JSON.stringify(fields) ?? '']),
});

/**
 * The fingerprint of a form. It depends on the fields, file names and bytes, but not on the boundary, the types of the
 * parts, and the order of fields with different names.
 */
export class FormFingerprint implements Fingerprint {
  readonly #fields: { readonly name: string; readonly hash: string }[] = [];
  readonly #files: string[] = [];

  constructor(private readonly requestLine: readonly string[]) {}

  /** Yields the parts unchanged, and hashes their bytes as they are read. */
  async *watch(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
    for await (const part of parts) {
      if (part.kind === 'file') yield { ...part, body: this.#watchFile(part, part.body) };
      else {
        this.#fields.push({ name: part.name, hash: hashOf([part.name, part.value]) });
        yield part;
      }
    }
  }

  value(): string {
    // Fields with the same name keep their order.
    const fields = this.#fields.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
    return hashOf([...this.requestLine, ...this.#files, 'fields', ...fields.map(({ hash }) => hash)]);
  }

  async *#watchFile({ name, fileName }: FilePart, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    yield* hashed(body, hash);
    this.#files.push(hashOf([name, fileName, hash.digest('hex')]));
  }
}
