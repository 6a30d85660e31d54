import type { Running } from '@postshelf/harness';

/** A media library at work, and how each thing is asked of it. Every call throws unless the answer is a success. */
export interface Library extends Running {
  /** The field that a file is sent in. */
  readonly field: string;
  /** Sends a body of {@link asMultipart} with that field; gives the item's id. */
  upload(body: Uint8Array<ArrayBuffer> | Bun.BunFile): Promise<string>;
  /** Has a picture fetched from its URL. */
  importUrl(url: string): Promise<void>;
  /** The newest 25 files, and how many there are. */
  list(): Promise<void>;
  read(id: string): Promise<void>;
}

const BOUNDARY = 'postshelf-peers-0123456789abcdef';

export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

/** What stands before and behind the bytes of a file (RFC 7578). */
export const asMultipart = (field: string, name: string, type: string): readonly [head: Buffer, end: Buffer] => [
  Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
  ),
  Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
];

/** The body of an answer. @throws Error unless it is a success */
export async function succeed(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
  return response.status === 204 ? null : response.json();
}

/** What both libraries answer with for one file. */
export const idOf = (answer: unknown): string => {
  const { data } = answer as { readonly data: { readonly id: string } | readonly { readonly id: string }[] };
  const id = 'id' in data ? data.id : data[0]?.id;
  if (id === undefined) throw new Error(`No id: ${JSON.stringify(answer)}`);
  return id;
};
