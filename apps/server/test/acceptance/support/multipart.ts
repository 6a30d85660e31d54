/** One part of a `multipart/form-data` body, encoded by hand so that tests can send parts that no library would. */
export interface Part {
  readonly name: string;
  readonly value: string | Uint8Array;
  /** The file name, which makes the part a file. It is written to the header without escaping. */
  readonly filename?: string | Uint8Array;
  readonly type?: string;
}

export interface MultipartBody {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export const boundary = '----postshelf-acceptance-7MA4YWxkTrZu0gW';

export function field(name: string, value: string): Part {
  return { name, value };
}

export function file(filename: string | Uint8Array, value: string | Uint8Array, name = 'files[]'): Part {
  return { name, value, filename, type: 'application/octet-stream' };
}

/** The header block of a part, from its boundary line to the blank line. */
export function partHead(part: Omit<Part, 'value'>, mark = boundary): Uint8Array {
  const pieces: Uint8Array[] = [utf8(`--${mark}\r\nContent-Disposition: form-data; name="${part.name}"`)];
  if (part.filename !== undefined) {
    pieces.push(
      utf8('; filename="'),
      typeof part.filename === 'string' ? utf8(part.filename) : part.filename,
      utf8('"'),
    );
  }
  pieces.push(utf8(`${part.type === undefined ? '' : `\r\nContent-Type: ${part.type}`}\r\n\r\n`));
  return Buffer.concat(pieces);
}

export function multipartEnd(mark = boundary): Uint8Array {
  return utf8(`--${mark}--\r\n`);
}

export function multipart(parts: readonly Part[], mark = boundary): MultipartBody {
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    pieces.push(partHead(part, mark), typeof part.value === 'string' ? utf8(part.value) : part.value, utf8('\r\n'));
  }
  pieces.push(multipartEnd(mark));
  return { contentType: `multipart/form-data; boundary="${mark}"`, bytes: Buffer.concat(pieces) };
}

function utf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}
