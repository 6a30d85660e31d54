import type { Form } from './outgoing.ts';

interface Encoded {
  readonly type: string;
  /** The body's length in bytes. */
  readonly length: number;
  readonly chunks: readonly (string | Blob)[];
}

/**
 * Encodes a form by RFC 7578, with names escaped as in the HTML standard, 4.10.22.8. For runtimes whose `FormData`
 * reports no progress and, in Bun, is built in memory.
 */
export function encode({ fields, files }: Form): Encoded {
  const boundary = `postshelf-${crypto.randomUUID()}`;
  const chunks: (string | Blob)[] = [];
  for (const [name, value] of fields) {
    chunks.push(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  }
  for (const { name, data } of files) {
    const disposition = `form-data; name="files[]"; filename="${escapeName(name)}"`;
    const type = data.type || 'application/octet-stream';
    chunks.push(`--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`, data, '\r\n');
  }
  chunks.push(`--${boundary}--\r\n`);
  const length = chunks.reduce((sum, chunk) => sum + (typeof chunk === 'string' ? byteLength(chunk) : chunk.size), 0);
  return { type: `multipart/form-data; boundary=${boundary}`, length, chunks };
}

const byteLength = (text: string): number => new TextEncoder().encode(text).byteLength;

const escapeName = (name: string): string => name.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
