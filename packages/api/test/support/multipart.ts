export const BOUNDARY = 'X-boundary-7MA4YWxk';
export const DELIMITER = `\r\n--${BOUNDARY}`;
export const FORM = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

export interface SentField {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
}

export interface SentFile {
  readonly kind: 'file';
  readonly name: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

export type SentPart = SentField | SentFile;

export const field = (name: string, value: string): SentField => ({ kind: 'field', name, value });

export const file = (name: string, fileName: string, bytes: Uint8Array | string): SentFile => ({
  kind: 'file',
  name,
  fileName,
  bytes: typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes,
});

/** Returns a part with these header lines. */
export const rawPart = (headers: readonly string[], content: Uint8Array | string): Uint8Array =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`),
    Buffer.from(content),
    CRLF,
  ]);

const CRLF = Buffer.from('\r\n');

export function partOf(part: SentPart): Uint8Array {
  const disposition = `Content-Disposition: form-data; name="${part.name}"`;
  if (part.kind === 'field') return rawPart([disposition], part.value);
  const headers = [`${disposition}; filename="${part.fileName}"`, 'Content-Type: application/octet-stream'];
  return rawPart(headers, part.bytes);
}

/** Returns a whole body that consists of these parts. */
export const formOf = (...parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]));
