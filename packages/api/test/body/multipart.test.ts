import { describe, expect, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { thrownBy } from '@postshelf/testing/outcomes';
import busboy from 'busboy';
import fc from 'fast-check';
import { readMultipart } from '../../src/body/multipart.ts';
import {
  BOUNDARY,
  DELIMITER,
  FORM,
  field,
  file,
  formOf,
  partOf,
  rawPart,
  type SentPart,
} from '../support/multipart.ts';
import { malformed, refusalOf } from '../support/refusals.ts';
import { bodyOf, connect, cutAt, requestOf, sent } from '../support/sources.ts';

const TIMEOUTS = { idle: 30_000, minimumRate: 0 };
const BROKEN = malformed('The multipart body is malformed.');

/** Resolves when the reader has read everything that was sent, and waits for the client. */
const untilStalled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reads all parts, each file to its end. */
async function readAll(request: Request): Promise<readonly SentPart[]> {
  const parts: SentPart[] = [];
  for await (const part of readMultipart(bodyOf(request, TIMEOUTS))) {
    if (part.kind === 'field') {
      parts.push(field(part.name, part.value));
      continue;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of part.body) chunks.push(new Uint8Array(chunk));
    parts.push(file(part.name, part.fileName, new Uint8Array(Buffer.concat(chunks))));
  }
  return parts;
}

const readForm = (...parts: readonly Uint8Array[]) => readAll(sent([formOf(...parts)], FORM));

/** Generates bytes that often look like the end of a part. */
const treacherous = fc
  .array(
    fc.oneof(
      fc.constantFrom('\r', '\n', '-', '--', '\r\n', '\r\n-', '\r\n--', `--${BOUNDARY}`, `--${BOUNDARY}--`, BOUNDARY),
      fc.nat(DELIMITER.length - 1).map((length) => DELIMITER.slice(0, length)),
      fc.constant(`\r\n--${BOUNDARY.toLowerCase()}`),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => Buffer.from(pieces.join(''), 'latin1'))
  // Leaves out content with a delimiter, which may begin with the line end before the content (RFC 2046 section 5.1.1).
  .filter((bytes) => !Buffer.concat([Buffer.from('\r\n'), bytes]).includes(DELIMITER));

const someName = fc.string({
  unit: fc.constantFrom(...'abcXYZ[]_- \u00e9\u65e5\u{1f600}'),
  minLength: 1,
  maxLength: 10,
});
const someField = fc.record({
  kind: fc.constant('field' as const),
  name: someName,
  value: fc.string({ unit: 'grapheme' }),
});
const someFile = fc.record({
  kind: fc.constant('file' as const),
  name: someName,
  fileName: someName,
  bytes: treacherous.map((bytes) => new Uint8Array(bytes)),
});

describe('the parts of a multipart form', () => {
  test('are read in any order, however the body is split into chunks', async () => {
    const someParts = fc.array(fc.oneof(someField, someFile), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(someParts, fc.array(fc.nat(1500), { maxLength: 12 }), async (parts, cuts) => {
        const body = formOf(...parts.map(partOf));
        expect(await readAll(sent(cutAt(body, cuts), FORM))).toEqual(parts);
      }),
      { numRuns: 300 },
    );
  });

  test('are the same when each byte is its own chunk', async () => {
    const parts = [
      field('label', 'Caf\u00e9'),
      file('files[]', 'a.jpg', `\r\n--${BOUNDARY.slice(0, -1)}`),
      field('b', ''),
    ];
    const body = formOf(...parts.map(partOf));
    const bytes = Array.from(body, (byte) => new Uint8Array([byte]));
    expect(await readAll(sent(bytes, FORM))).toEqual(parts);
  });

  test('may be surrounded by a preamble and an epilogue, which are ignored', async () => {
    const body = Buffer.concat([Buffer.from('Hello\r\n'), formOf(partOf(field('a', '1'))), Buffer.from('Good bye')]);
    expect(await readAll(sent([body], FORM))).toEqual([field('a', '1')]);
  });

  test('end at the closing delimiter, whatever follows it', async () => {
    const [before, behind] = [partOf(file('f', 'a.jpg', 'x')), partOf(file('f', 'b.jpg', 'y'))];
    const unended = behind.subarray(0, -2);
    for (const epilogue of [behind, unended, formOf(behind, behind), formOf(behind, unended)]) {
      const body = Buffer.concat([formOf(before), epilogue]);
      for (let place = 0; place <= body.length; place += 1) {
        expect(await readAll(sent(cutAt(body, [place, place + 1]), FORM))).toEqual([file('f', 'a.jpg', 'x')]);
      }
    }
  });

  test('are an empty list for an empty form', async () => {
    expect(await readForm()).toEqual([]);
  });

  test('are files if they have a file name, from which folders are removed, or the type application/octet-stream', async () => {
    const disposition = 'Content-Disposition: form-data; name="f"';
    const named = (fileName: string) => rawPart([`${disposition}; filename="${fileName}"`], 'x');
    const nameless = rawPart([disposition, 'Content-Type: application/octet-stream'], 'x');
    expect(await readForm(named('C:\\\\fakepath\\\\a.jpg'), named('../../b.jpg'), nameless)).toEqual([
      file('f', 'a.jpg', 'x'),
      file('f', 'b.jpg', 'x'),
      file('f', '', 'x'),
    ]);
  });

  test('may have names in UTF-8, even percent-encoded ones', async () => {
    const extended = `Content-Disposition: form-data; name="f"; filename*=UTF-8''caf%C3%A9.jpg`;
    expect(await readForm(rawPart([extended], 'x'))).toEqual([file('f', 'caf\u00e9.jpg', 'x')]);
  });

  test.each([
    ['Base64', '"=?utf-8?B?w5xiZXIvZWluICIlMjIiLmpwZw==?="', 'ein "%22".jpg'],
    ['Base64 with slashes', '"=?UTF-8?b?6buE6bG85bC/Lmpw?= =?UTF-8?B?Zw==?="', '\u9ec4\u9c7c\u5c3f.jpg'],
    ['quoted-printable', '"=?iso-8859-1?Q?caf=E9_100%.jpg?="', 'caf\u00e9 100%.jpg'],
    ['no quotes', '=?utf-8?B?w6QuanBn?=', '\u00e4.jpg'],
    ['an extended name', `"=?utf-8?B?w6QuanBn?="; filename*=utf-8''%C3%BC.jpg`, '\u00fc.jpg'],
    ['an unknown character set', '"=?none?B?w6QuanBn?="', '=?none?B?w6QuanBn?='],
    ['bytes outside the character set', '"=?utf-8?B?wyg=?="', '=?utf-8?B?wyg=?='],
    ['other text', '"a =?utf-8?B?w6QuanBn?="', 'a =?utf-8?B?w6QuanBn?='],
  ])('may have names in encoded words, as .NET sends them, with %s', async (_, fileName, expected) => {
    const head = `Content-Disposition: form-data; name="f"; filename=${fileName}`;
    expect(await readForm(rawPart([head, 'Content-Type: image/jpeg'], 'x'))).toEqual([file('f', expected, 'x')]);
  });

  test('may have names in Latin-1', async () => {
    const head = Buffer.from('Content-Disposition: form-data; name="f"; filename="caf\u00e9.jpg"', 'latin1');
    const form = Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\n`),
      head,
      Buffer.from(`\r\n\r\nx\r\n--${BOUNDARY}--\r\n`),
    ]);
    expect(await readAll(sent([form], FORM))).toEqual([file('f', 'caf\u00e9.jpg', Buffer.from('x'))]);
  });

  test.each([
    ['say %22hi%22.jpg', 'say "hi".jpg'],
    ['line%0D%0Abreak.jpg', 'line\r\nbreak.jpg'],
    ['100%25 sure.jpg', '100%25 sure.jpg'],
    ['a%0d%2F%00.jpg', 'a%0d%2F%00.jpg'],
    ['Caf\u00e9 %22.jpg', 'Caf\u00e9 ".jpg'],
  ])('have file names in which the escapes of browsers are decoded: %s', async (sentName, name) => {
    const head = `Content-Disposition: form-data; name="f%22"; filename="${sentName}"`;
    expect(await readForm(rawPart([head], 'x'))).toEqual([file('f"', name, 'x')]);
  });

  // RFC 7578 section 2 allows this; aiohttp does it by default.
  test.each([
    ['%C3%A4%20%281%29.jpg', '\u00e4 (1).jpg'],
    ['%E6%97%A5%E6%9C%AC.jpg', '\u65e5\u672c.jpg'],
    ['100%25.jpg', '100%.jpg'],
    ['say%20%22hi%22.jpg', 'say "hi".jpg'],
    ['caf%E9.jpg', 'caf%E9.jpg'],
    ['50%.jpg', '50%.jpg'],
    ['a%20b c.jpg', 'a%20b c.jpg'],
  ])('have file names that are decoded if they are percent-encoded as a whole: %s', async (sentName, name) => {
    const head = `Content-Disposition: form-data; name="f"; filename="${sentName}"`;
    expect(await readForm(rawPart([head, 'Content-Type: image/jpeg'], 'x'))).toEqual([file('f', name, 'x')]);
  });

  test('keep percent escapes in an extended file name', async () => {
    const head = `Content-Disposition: form-data; name="f"; filename*=UTF-8''a%2522.jpg`;
    expect(await readForm(rawPart([head], 'x'))).toEqual([file('f', 'a%22.jpg', 'x')]);
  });

  // .NET encodes a file name that the program has quoted together with its quotes.
  test.each([
    ['around it', '%22caf%C3%A9%20b.jpg%22', 'caf\u00e9 b.jpg'],
    ['only at its beginning', '%22a%22%20b.jpg', '"a" b.jpg'],
  ])('may have an extended file name with quotes %s', async (_, encoded, fileName) => {
    const head = `Content-Disposition: form-data; name="f"; filename="a.jpg"; filename*=utf-8''${encoded}`;
    expect(await readForm(rawPart([head, 'Content-Type: image/jpeg'], 'x'))).toEqual([file('f', fileName, 'x')]);
  });

  test.each([
    'Content-Disposition: form-data; name="f"; filename="a.jpg";',
    'Content-Disposition: form-data; name="f"; filename="a.jpg" ; ',
  ])('may have a header that ends in a semicolon: %s', async (head) => {
    expect(await readForm(rawPart([head, 'Content-Type: image/jpeg;'], 'x'))).toEqual([file('f', 'a.jpg', 'x')]);
  });

  // JavaMail folds lines of more than 76 characters (RFC 5322 section 2.2.3), behind the semicolon.
  test.each([
    ['a quoted file name', '; \r\n\tfilename="a b.jpg"', 'a b.jpg'],
    ['an unquoted file name', '; \r\n\tfilename=a.jpg', 'a.jpg'],
    ['an extended file name', `;\r\n filename*=UTF-8''%C3%A4.jpg`, '\u00e4.jpg'],
    ['encoded words', ';\r\n filename="=?UTF-8?Q?=C3=A4?=\r\n =?UTF-8?Q?=C3=B6.jpg?="', '\u00e4\u00f6.jpg'],
    ['an unescaped quote', ';\r\n filename="a "b".jpg"', 'a "b".jpg'],
    ['a blank line', '; filename="a.jpg";\r\n ', 'a.jpg'],
  ])('may have a header that is folded before %s', async (_, parameters, fileName) => {
    const head = `Content-Disposition: form-data; name="f[0]"${parameters}`;
    expect(await readForm(rawPart([head, 'Content-Type: image/jpeg'], 'x'))).toEqual([file('f[0]', fileName, 'x')]);
  });

  // JavaMail divides names of more than 60 characters (RFC 2231 section 3).
  test.each([
    ['unquoted', 'filename*0=abc; filename*1=def.jpg', 'abcdef.jpg'],
    ['quoted', 'filename*0="a \\"b"; filename*1="c; d.jpg"', 'a "bc; d.jpg'],
    ['folded', 'filename*0="a b";\r\n\tfilename*1=c.jpg', 'a bc.jpg'],
    ['encoded', "filename*0*=UTF-8''%C3%A4;\r\n filename*1*=%C3%B6.jpg", '\u00e4\u00f6.jpg'],
  ])('may have names in several %s segments', async (_, parameters, fileName) => {
    const head = `Content-Disposition: form-data; name="f"; ${parameters}`;
    expect(await readForm(rawPart([head], 'x'))).toEqual([file('f', fileName, 'x')]);
  });

  test('keep the value of a field whose header is folded', async () => {
    const head = [
      'Content-Disposition: form-data; \r\n\tname="label"',
      'Content-Type: text/plain; \r\n\tcharset=UTF-8',
    ];
    expect(await readForm(rawPart(head, 'caf\u00e9'))).toEqual([field('label', 'caf\u00e9')]);
  });

  test.each([
    'multipart/form-data; boundary=BB;',
    'multipart/form-data;boundary=BB ; ',
    'multipart/form-data; boundary=BB; charset=utf-8',
  ])('are read with the content type %s', async (contentType) => {
    const form = '--BB\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--BB--\r\n';
    expect(await readAll(sent([Buffer.from(form)], { 'Content-Type': contentType }))).toEqual([field('a', '1')]);
  });

  test.each(['a=b', '----=_Part_1_2.3', 'a/b:c', "'()+_,-./:=?"])(
    'are read with the unquoted boundary %s',
    async (boundary) => {
      const form = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`;
      const contentType = `multipart/form-data; boundary=${boundary}`;
      expect(await readAll(sent([Buffer.from(form)], { 'Content-Type': contentType }))).toEqual([field('a', '1')]);
    },
  );

  test.each([
    ['an unescaped quote in the file name', 'name="f"; filename="a "b" c.jpg"', 'a "b" c.jpg'],
    ['a quote in an unquoted file name', 'name="f"; filename=a"b.jpg', 'a"b.jpg'],
    ['spaces in an unquoted file name', 'name=f; filename=my photo.jpg', 'my photo.jpg'],
    ['brackets in an unquoted name', 'name=f[0];filename=a.jpg', 'a.jpg'],
    ['the file name before the name', 'filename="a"b.jpg"; name="f"', 'a"b.jpg'],
    ['a broken extended file name', `name="f"; filename="a.jpg"; filename*=UTF-8''%zz.jpg`, 'a.jpg'],
    ['brackets before an extended file name', `name=f[0]; filename=a.jpg; filename*=UTF-8''%C3%A4.jpg`, '\u00e4.jpg'],
    [
      'brackets before an extended file name that is not UTF-8',
      `name=f[0]; filename=a.jpg; filename*=UTF-8''%FF`,
      'a.jpg',
    ],
    ['UTF-8 next to an unescaped quote', 'name="f"; filename="caf\u00e9 "1".jpg"', 'caf\u00e9 "1".jpg'],
  ])('are read with %s', async (_, parameters, fileName) => {
    const head = `Content-Disposition: form-data; ${parameters}`;
    const name = parameters.includes('[0]') ? 'f[0]' : 'f';
    expect(await readForm(rawPart([head, 'Content-Type: image/jpeg'], 'x'))).toEqual([file(name, fileName, 'x')]);
  });

  test.each([
    ['an unquoted name with brackets', 'name=tags[]', 'tags[]'],
    ['a name with an unescaped quote', 'name="a "b" c"', 'a "b" c'],
  ])('keep the value of a field with %s', async (_, parameters, name) => {
    const head = `Content-Disposition: form-data; ${parameters}`;
    expect(await readForm(rawPart([head], 'caf\u00e9'))).toEqual([field(name, 'caf\u00e9')]);
  });

  test.each([
    ['spaces in an unquoted name', `filename=a${' '.repeat(15_000)}b`],
    ['spaces and semicolons', `filename=a${' ;'.repeat(7000)}b`],
    ['quotes and spaces', `filename="a${'" '.repeat(7000)}b"`],
    ['parameters without a closing quote', 'filename="a;'.repeat(1200)],
    ['segments of the name', 'filename*0=a;'.repeat(1200)],
    ['segments without a closing quote', 'filename*0="a;'.repeat(1100)],
  ])('are read quickly even with thousands of %s', async (_, parameters) => {
    const head = `Content-Disposition: form-data; name="f"; ${parameters}`;
    const parts = Array.from({ length: 20 }, () => rawPart([head], 'x'));
    await readForm(...parts).catch((error: unknown) => expect(error).toBeInstanceOf(Refusal));
  });

  test.each([
    ['an empty file name', ['Content-Disposition: form-data; name="f"; filename=""', 'Content-Type: image/jpeg']],
    ['an empty unquoted file name', ['Content-Disposition: form-data; name="f"; filename=']],
    ['a media type but no file name', ['Content-Disposition: form-data; name="f"', 'Content-Type: image/jpeg']],
  ])('are files if they have %s', async (_, head) => {
    expect(await readForm(rawPart(head, '\xff\xd8'))).toEqual([file('f', '', Buffer.from('\xff\xd8'))]);
  });

  test('are rejected with an error for a field that is not UTF-8 and declares no character set', async () => {
    const latin1 = (...head: readonly string[]) =>
      Buffer.concat([
        Buffer.from(`--${BOUNDARY}\r\n${head.join('\r\n')}\r\n\r\n`),
        Buffer.from('caf\u00e9', 'latin1'),
        Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
      ]);
    const disposition = 'Content-Disposition: form-data; name="label"';
    expect(await refusalOf(readAll(sent([latin1(disposition)], FORM)))).toEqual({
      code: 'invalid',
      errors: { label: ['The label field must be encoded in UTF-8.'] },
    });
    const named = latin1(disposition, 'Content-Type: text/plain; charset=iso-8859-1');
    expect(await readAll(sent([named], FORM))).toEqual([field('label', 'caf\u00e9')]);
  });

  test('are accepted if there are 99', async () => {
    const parts = Array.from({ length: 99 }, (_, index) => field(`f${index}`, 'x'));
    expect(await readForm(...parts.map(partOf))).toEqual(parts);
  });
});

/** Generates header lines that senders write, and some that are invalid. */
const someLine = fc.constantFrom(
  'Content-Disposition: form-data; name="files[]"; filename="a.jpg"',
  'Content-Disposition: form-data; name="label"',
  'content-disposition:form-data;name=label',
  'Content-Disposition: form-data; filename="a.jpg"',
  'Content-Disposition: attachment; name="x"',
  'Content-Disposition: form-data; name="a\r\n b"',
  'Content-Type: text/plain; charset=utf-16le',
  'Content-Type: application/octet-stream',
  'Content-Transfer-Encoding: base64',
  'nocolon',
  ': x',
  'X-Bytes: \xff\xfe',
  `X-Long: ${'x'.repeat(17_000)}`,
);

/** Parses a whole body with busboy alone. The service, which looks for delimiters itself, must find the same parts. */
function readByBusboy(body: Uint8Array): Promise<readonly SentPart[] | 'refused'> {
  const { promise, resolve } = Promise.withResolvers<readonly SentPart[] | 'refused'>();
  const parts: (SentPart | Promise<SentPart>)[] = [];
  const parser = busboy({
    headers: { 'content-type': FORM['Content-Type'] },
    limits: { fieldSize: 64 * 1024 },
    defParamCharset: 'utf8',
  });
  let isRefused = false;
  const take = (name: string | undefined, part: SentPart | Promise<SentPart>): void => {
    if (name === undefined) isRefused = true;
    parts.push(part);
  };
  parser.on('field', (name, value) => take(value === undefined ? undefined : name, field(name, value)));
  parser.on('file', (name, stream, { filename }) => {
    const bytes = Array.fromAsync(stream as AsyncIterable<Buffer>).catch(() => []);
    take(
      name,
      bytes.then((chunks) => file(name, filename ?? '', new Uint8Array(Buffer.concat(chunks)))),
    );
  });
  parser.on('error', () => {
    isRefused = true;
  });
  parser.on('close', async () => resolve(isRefused ? 'refused' : await Promise.all(parts)));
  parser.end(body);
  return promise;
}

test('any form has the parts that busboy finds, however it is split into chunks', async () => {
  const somePart = fc
    .tuple(fc.array(someLine, { minLength: 1, maxLength: 3 }), treacherous)
    .map(([lines, content]) => rawPart(lines, content));
  await fc.assert(
    fc.asyncProperty(
      fc.array(somePart, { maxLength: 4 }),
      fc.constantFrom('', 'preamble\r\n', `--${BOUNDARY.slice(1)}\r\n`),
      fc.array(fc.nat(1500), { maxLength: 12 }),
      fc.nat(20),
      async (parts, preamble, cuts, missing) => {
        const whole = Buffer.concat([Buffer.from(preamble), formOf(...parts), Buffer.from('epilogue')]);
        // Some of the bodies end early.
        const body = missing > 10 ? whole : whole.subarray(0, whole.length - missing * 3);
        const found = await readByBusboy(Buffer.from(body));
        // busboy leaves out parts that aren't form data, while the service refuses the whole request.
        const expected = found.length < parts.length ? 'refused' : found;
        // A field that isn't UTF-8 is refused here, while busboy replaces what it can't decode.
        fc.pre(typeof expected === 'string' || !expected.some((part) => JSON.stringify(part).includes('\ufffd')));
        const read = await readAll(sent(cutAt(body, cuts), FORM)).catch((cause: unknown) => {
          if (cause instanceof Refusal) return 'refused' as const;
          throw cause;
        });
        expect(read).toEqual(expected);
      },
    ),
    { numRuns: 400 },
  );
});

describe('a part header in the common form, which is read without busboy', () => {
  /** With its two spaces, this content type isn't in the common form, so busboy reads the head of every part. */
  const BY_BUSBOY = { 'Content-Type': `multipart/form-data;  boundary=${BOUNDARY}` };

  /** Returns what the reader of a request gets: the parts, or the refusal. */
  const outcomeOf = async (request: Request): Promise<unknown> => {
    try {
      return await readAll(request);
    } catch (error) {
      if (error instanceof Refusal) return error.problem;
      throw error;
    }
  };

  test('gives the same parts or the same refusal as with busboy, whatever its content', async () => {
    const someParts = fc.array(fc.oneof(someField, someFile), { maxLength: 4 });
    const damages = fc.array(
      fc.record({
        place: fc.nat(1500),
        cut: fc.nat(3),
        put: fc.constantFrom('', '\r', '\n', '-', '"', ';', '\\', '/', ' ', '\0', '\xff', DELIMITER, '\r\n\r\n', '--'),
      }),
      { maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(someParts, damages, async (parts, changes) => {
        let body = Buffer.from(formOf(...parts.map(partOf)));
        for (const { place, cut, put } of changes) {
          const at = place % (body.length + 1);
          body = Buffer.concat([body.subarray(0, at), Buffer.from(put, 'latin1'), body.subarray(at + cut)]);
        }
        const read = (headers: typeof FORM) => outcomeOf(sent([new Uint8Array(body)], headers));
        expect(await read(FORM)).toEqual(await read(BY_BUSBOY));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['with the types of its files', FORM['Content-Type'], ['Content-Type: image/jpeg']],
    ['without types', FORM['Content-Type'], []],
    ['with a quoted boundary', `multipart/form-data; boundary="${BOUNDARY}"`, []],
  ])('is read as UTF-8 %s', async (_, contentType, type) => {
    const head = ['Content-Disposition: form-data; name="files[]"; filename="Caf\u00e9 (1).jpg"', ...type];
    const form = Buffer.from(formOf(rawPart(head, 'bytes'), partOf(field('label', 'Caf\u00e9'))));
    const parts = await readAll(sent([form], { 'Content-Type': contentType }));
    expect(parts).toEqual([file('files[]', 'Caf\u00e9 (1).jpg', Buffer.from('bytes')), field('label', 'Caf\u00e9')]);
  });
});

describe('a multipart form', () => {
  const headers = (type: string) => ({ 'Content-Type': type });
  const disposition = 'Content-Disposition: form-data; name="a"';

  test.each([
    ['without a boundary', 'multipart/form-data'],
    ['with an empty boundary parameter', 'multipart/form-data; boundary'],
    ['without a content type', ''],
    ['with an invalid content type', ';;'],
    ['with an unknown multipart subtype', 'multipart/mixed; boundary=a'],
  ])('is rejected %s', async (_, type) => {
    const refused = readAll(sent(['--a--'], headers(type)));
    expect(await refusalOf(refused)).toEqual(malformed('The multipart body has no valid boundary.'));
  });

  test('is rejected without a body', async () => {
    expect(await refusalOf(readAll(requestOf(null, FORM)))).toEqual(BROKEN);
    expect(await refusalOf(readAll(sent([], FORM)))).toEqual(BROKEN);
  });

  test.each([
    ['text that is not a form', 'Hello, world'],
    ['another boundary', '--another\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--another--\r\n'],
    [
      'a part without an empty line after its header',
      `--${BOUNDARY}\r\nA: b\r\n${partOf(field('a', '1'))}${DELIMITER}--\r\n`,
    ],
    ['a delimiter in place of the empty line', `--${BOUNDARY}\r\n${disposition}\r\n${DELIMITER}--\r\n`],
    ['extra characters after a delimiter', `--${BOUNDARY}x\r\n${DELIMITER}--\r\n`],
    ['an endless header', `--${BOUNDARY}\r\n${'Content-Disposition: '.padEnd(20_000, 'x')}`],
    ['a header without a colon', `--${BOUNDARY}\r\nContent-Disposition\r\n\r\n1${DELIMITER}--\r\n`],
    ['control characters in a header', `--${BOUNDARY}\r\nContent\0-Disposition: form-data\r\n\r\n1${DELIMITER}--\r\n`],
  ])('is rejected with %s', async (_, body) => {
    expect(await refusalOf(readAll(sent([body], FORM)))).toEqual(BROKEN);
  });

  test('is rejected with 101 parts', async () => {
    const parts = Array.from({ length: 101 }, () => partOf(field('a', '1')));
    expect(await refusalOf(readForm(...parts))).toEqual(malformed('The request has too many parts.'));
  });

  test.each([
    ['the disposition attachment', 'Content-Disposition: attachment; name="files[]"; filename="a.jpg"'],
    ['no disposition', 'Content-Type: image/jpeg'],
    ['an unclosed quote in its file name', 'Content-Disposition: form-data; name="files[]"; filename="a.jpg'],
  ])('is rejected instead of losing a part that has %s', async (_, head) => {
    expect(await refusalOf(readForm(rawPart([head], 'x'), partOf(field('b', '2'))))).toEqual(
      malformed('Each part of the form must have a Content-Disposition of form-data, with a name.'),
    );
  });

  test('is rejected with a part that is itself multipart', async () => {
    const head = [disposition, 'Content-Type: multipart/mixed; boundary=inner'];
    expect(await refusalOf(readForm(rawPart(head, '--inner--')))).toEqual(
      malformed('A part of the form is itself multipart. Send each file as a separate part.'),
    );
  });

  test.each([
    ['a field without a name', rawPart(['Content-Disposition: form-data'], '1')],
    ['a file without a name', rawPart(['Content-Disposition: form-data; filename="a.jpg"'], '1')],
    ['a field of an unknown character set', rawPart([disposition, 'Content-Type: text/plain; charset=klingon'], '1')],
  ])('is rejected with %s', async (_, part) => {
    expect(await refusalOf(readForm(part, partOf(field('b', '2'))))).toEqual(BROKEN);
  });

  test('is rejected when truncated at any byte', async () => {
    const parts = [field('label', 'x'), file('files[]', 'a.jpg', 'some bytes'), field('folder_id', '')];
    const body = formOf(...parts.map(partOf));
    const end = body.length - '\r\n'.length;
    for (let length = 0; length < end; length += 1) {
      const refused = readAll(sent([body.subarray(0, length)], FORM));
      expect([length, await refusalOf(refused)]).toEqual([length, BROKEN]);
    }
    expect(await readAll(sent([body.subarray(0, end)], FORM))).toEqual(parts);
  });

  test('makes reading its file fail when the client disconnects', async () => {
    const client = connect(FORM);
    const parts = readMultipart(bodyOf(client.request, TIMEOUTS));
    client.send(partOf(file('files[]', 'a.jpg', 'some bytes')).subarray(0, -5));
    const { value } = await parts.next();
    if (value?.kind !== 'file') throw new Error('a file');
    const reading = Array.fromAsync(value.body);
    client.hangUp();
    expect(await refusalOf(reading)).toEqual(malformed('The request body ended early.'));
    expect(await refusalOf(parts.next())).toEqual(malformed('The request body ended early.'));
  });

  test('makes reading its file fail when the client sends too slowly', async () => {
    const client = connect(FORM);
    const parts = readMultipart(bodyOf(client.request, { idle: 1, minimumRate: 0 }));
    client.send(partOf(file('files[]', 'a.jpg', 'some bytes')).subarray(0, -5));
    const { value } = await parts.next();
    if (value?.kind !== 'file') throw new Error('a file');
    expect(await refusalOf(Array.fromAsync(value.body))).toMatchObject({ code: 'too_slow' });
    expect(client.isTurnedAway).toBe(true);
  });
});

describe('a field value above 64 KB', () => {
  test('is truncated, and the parts after it are read', async () => {
    const [long, next] = await readForm(partOf(field('label', 'x'.repeat(100_000))), partOf(field('b', '2')));
    expect(long).toEqual(field('label', 'x'.repeat(64 * 1024)));
    expect(next).toEqual(field('b', '2'));
  });
});

describe('a form reader that stops early', () => {
  const begun = partOf(file('files[]', 'a.jpg', 'some bytes')).subarray(0, -5);

  test('cancels the request body at a file', async () => {
    const client = connect(FORM);
    client.send(begun);
    for await (const part of readMultipart(bodyOf(client.request, TIMEOUTS))) {
      expect(part.kind).toBe('file');
      await untilStalled();
      break;
    }
    expect(client.isTurnedAway).toBe(true);
  });

  test('cancels the request body within a file', async () => {
    const client = connect(FORM);
    client.send(begun);
    const broken = new Error('the disk failed');
    const reading = (async () => {
      for await (const part of readMultipart(bodyOf(client.request, TIMEOUTS))) {
        if (part.kind !== 'file') continue;
        for await (const _ of part.body) {
          await untilStalled();
          throw broken;
        }
      }
    })();
    expect(await thrownBy(reading)).toBe(broken);
    expect(client.isTurnedAway).toBe(true);
  });

  test('cancels the request body after a field', async () => {
    const client = connect(FORM);
    client.send(partOf(field('a', '1')));
    client.send(`--${BOUNDARY}`);
    for await (const _ of readMultipart(bodyOf(client.request, TIMEOUTS))) {
      await untilStalled();
      break;
    }
    expect(client.isTurnedAway).toBe(true);
  });

  test('reads nothing if it stops before the first part', async () => {
    const client = connect(FORM);
    await readMultipart(bodyOf(client.request, TIMEOUTS)).return(undefined);
    expect(client.asked).toBe(0);
  });
});

test('a form reader reads no more than its buffers hold while a file is not consumed', async () => {
  const client = connect(FORM);
  const chunk = new Uint8Array(64 * 1024);
  client.send(partOf(file('f', 'a', 'some bytes')).subarray(0, -5));
  const parts = readMultipart(bodyOf(client.request, TIMEOUTS));
  await parts.next();
  const before = client.asked;
  for (let count = 0; count < 50; count += 1) {
    client.send(chunk);
    await untilStalled();
  }
  expect(client.asked - before).toBeLessThan(5);
  await parts.return(undefined);
});

test('reading a malformed form throws a Refusal, not another error', async () => {
  const thrown = await readAll(sent(['nonsense'], FORM)).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Refusal);
});
