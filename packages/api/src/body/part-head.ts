import { MIMEType } from 'node:util';
import { Refusal } from '@postshelf/domain';
import busboy from 'busboy';

/** Bytes of a field's value; the rest of it is dropped. */
export const MAX_FIELD_BYTES = 64 * 1024;

/** What a part says of itself (RFC 7578 section 4.2). */
export type PartHead =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly fileName: string };

export const malformed = (message: string, cause?: unknown): Refusal =>
  new Refusal({ code: 'malformed', message }, { cause });

const MALFORMED = 'The multipart body is malformed.';

export const malformedForm = (cause?: unknown): Refusal => malformed(MALFORMED, cause);

const EMPTY = Buffer.alloc(0);

/**
 * What stands in the parts of a form with this boundary, told by busboy, which gets the head and the value of one part at a
 * time: it knows names, character sets and escapes, but looks for boundaries byte by byte.
 */
export class PartHeads {
  readonly #contentType: string;
  readonly #delimiter: string;

  /** @throws Refusal `malformed` unless the type is that of a form with a boundary */
  constructor(contentType: string) {
    this.#contentType = contentType;
    this.#delimiter = `--${this.#boundary()}`;
  }

  /** What stands before each part but the first of a body that has nothing before it, and behind the last. */
  get delimiter(): Buffer {
    return Buffer.from(`\r\n${this.#delimiter}`);
  }

  /**
   * @param head the part's lines, without the empty one
   * @returns null for a part that is of no form: it is passed over
   * @throws Refusal `malformed` for lines that aren't headers, and for a part without a name
   */
  read(head: Buffer): PartHead | null {
    return this.#parse(head, EMPTY).read;
  }

  /** The value of a field in its character set. @throws Refusal `malformed` when it can't be decoded */
  valueOf(head: Buffer, value: Buffer): string {
    return value.length === 0 ? '' : this.#parse(head, value).value;
  }

  #parse(head: Buffer, bytes: Buffer): { readonly read: PartHead | null; readonly value: string } {
    const parser = this.#parser();
    let read: PartHead | null = null;
    let value = '';
    let refused: Refusal | null = null;
    // Whatever their types say, busboy gives undefined for a name that is missing and for a value that it can't decode.
    parser.on('field', (name: string | undefined, text: string | undefined) => {
      if (name === undefined || text === undefined) refused = malformedForm();
      else [read, value] = [{ kind: 'field', name }, text];
    });
    parser.on('file', (name: string | undefined, stream, { filename }) => {
      stream.on('error', () => undefined).resume();
      if (name === undefined) refused = malformedForm();
      else read = { kind: 'file', name, fileName: filename ?? '' };
    });
    parser.on('error', (cause) => {
      refused = malformedForm(cause);
    });
    const before = Buffer.from(`${this.#delimiter}\r\n`);
    // It hands on what it finds before this returns.
    parser.write(Buffer.concat([before, head, EMPTY_LINE, bytes, this.delimiter, END_OF_FORM]));
    if (refused !== null) throw refused;
    return { read, value };
  }

  #parser(): busboy.Busboy {
    const headers = { 'content-type': this.#contentType };
    const parser = busboy({ headers, limits: { fieldSize: MAX_FIELD_BYTES }, defParamCharset: 'utf8' });
    // It has one more to tell when it is left without a part.
    return parser.on('error', () => undefined);
  }

  /** Of the types that busboy takes, it and the platform read the same boundary. */
  #boundary(): string {
    // No boundary has one (RFC 2046 section 5.1.1), and parsers disagree about what it would escape in it.
    if (this.#contentType.includes('\\')) throw malformed(NO_BOUNDARY);
    try {
      this.#parser();
    } catch (cause) {
      throw malformed(NO_BOUNDARY, cause);
    }
    const boundary = new MIMEType(this.#contentType).params.get('boundary');
    if (boundary === null) throw malformed(NO_BOUNDARY);
    return boundary;
  }
}

const NO_BOUNDARY = 'The multipart body has no valid boundary.';

/** What ends the head of a part: the end of its last line, and an empty line. */
export const EMPTY_LINE = Buffer.from('\r\n\r\n');

/** What stands behind the last delimiter. */
export const END_OF_FORM = Buffer.from('--');
