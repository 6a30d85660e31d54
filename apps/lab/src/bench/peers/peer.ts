import type { Running } from '@postshelf/harness';

/** A running media library, and the requests that are measured. Every call throws unless the answer is a success. */
export interface Library extends Running {
  /** The form field of a file. */
  readonly field: string;
  /** Sends a body of {@link asMultipart} with that field, and returns the item's id. */
  upload(body: Uint8Array<ArrayBuffer> | Bun.BunFile): Promise<string>;
  /** Imports a picture from its URL. */
  importUrl(url: string): Promise<void>;
  /** Reads the newest 25 files and the total. */
  list(): Promise<void>;
  read(id: string): Promise<void>;
}

const BOUNDARY = 'postshelf-peers-0123456789abcdef';

export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

/** The form before and behind a file's bytes (RFC 7578). */
export const asMultipart = (field: string, name: string, type: string): readonly [head: Buffer, end: Buffer] => [
  Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
  ),
  Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
];

/** Returns the answer's body. @throws Error unless it is a success */
export async function succeed(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
  return response.status === 204 ? null : response.json();
}

/** The id in both libraries' answer for one file. */
export const idOf = (answer: unknown): string => {
  const { data } = answer as { readonly data: { readonly id: string } | readonly { readonly id: string }[] };
  const id = 'id' in data ? data.id : data[0]?.id;
  if (id === undefined) throw new Error(`No id: ${JSON.stringify(answer)}`);
  return id;
};
