import type { Answer } from '../answer.ts';
import type { NamedFile } from '../files.ts';
import type { OnProgress } from '../progress.ts';

export interface Form {
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The files; each is sent as a part named `files[]`. */
  readonly files: readonly NamedFile[];
}

export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Form | Blob | null;
  readonly onProgress: OnProgress | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A response with all its headers. */
export interface Sent {
  readonly answer: Answer;
  header(name: string): string | null;
}

/** Returns the size of a body in bytes. */
export function sizeOf(body: Outgoing['body']): number {
  if (body === null) return 0;
  return 'fields' in body ? body.files.reduce((sum, { data }) => sum + data.size, 0) : body.size;
}

/** Converts a body to the type that `fetch` and XMLHttpRequest accept. */
export function platformBody(body: Outgoing['body']): FormData | Blob | null {
  if (body === null || !('fields' in body)) return body;
  const form = new FormData();
  for (const [name, value] of body.fields) form.append(name, value);
  for (const { name, data } of body.files) form.append('files[]', data, name);
  return form;
}
