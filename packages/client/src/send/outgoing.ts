import type { NamedFile } from '../files.ts';
import type { OnProgress } from '../progress.ts';

/** The fields and files of a multipart body, in their order. */
export interface Form {
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Each is sent as a part named `files[]`. */
  readonly files: readonly NamedFile[];
}

/** A request that carries files. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Form | Blob;
  readonly onProgress: OnProgress | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The size of the files in a body, in bytes. */
export const sizeOf = (body: Form | Blob): number =>
  'fields' in body ? body.files.reduce((sum, { data }) => sum + data.size, 0) : body.size;

/** The body in a form that `fetch` and XMLHttpRequest accept. */
export function platformBody(body: Form | Blob): FormData | Blob {
  if (!('fields' in body)) return body;
  const form = new FormData();
  for (const [name, value] of body.fields) form.append(name, value);
  for (const { name, data } of body.files) form.append('files[]', data, name);
  return form;
}
