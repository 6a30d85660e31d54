import type { NamedFile } from '../files.ts';
import type { OnProgress } from '../progress.ts';

export interface Form {
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Each is sent as a part named `files[]`. */
  readonly files: readonly NamedFile[];
}

export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Form | Blob;
  readonly onProgress: OnProgress | undefined;
  readonly signal: AbortSignal | undefined;
}

/** In bytes. */
export const sizeOf = (body: Form | Blob): number =>
  'fields' in body ? body.files.reduce((sum, { data }) => sum + data.size, 0) : body.size;

/** As `fetch` and XMLHttpRequest accept it. */
export function platformBody(body: Form | Blob): FormData | Blob {
  if (!('fields' in body)) return body;
  const form = new FormData();
  for (const [name, value] of body.fields) form.append(name, value);
  for (const { name, data } of body.files) form.append('files[]', data, name);
  return form;
}
