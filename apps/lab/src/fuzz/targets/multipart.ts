import fc from 'fast-check';
import { AUTHORIZATION, framing, HOST, keyLines } from '../arbitraries/request.ts';
import { anyBytes, anyId, nastyText, weighted } from '../arbitraries/text.ts';
import { type Bytes, seedBytes } from '../bytes/bytes.ts';
import type { RequestCase } from '../case.ts';
import { brokenMedia } from '../formats/mutation.ts';
import type { Target } from './target.ts';

const whole = (seed: string): Bytes => ({ seed, from: 0, to: seedBytes(seed).length });

const boundary = weighted(
  [8, fc.constant('boundary-7MA4YWxk')],
  [1, fc.constantFrom('-', '--', 'a', "'()+_,-./:=?", 'x'.repeat(70), 'x'.repeat(300), '0'.repeat(5))],
);

/** Content-Types with the boundary `X`. */
const TYPES = [
  'multipart/form-data; boundary=',
  'multipart/form-data',
  'multipart/form-data; boundary',
  'multipart/form-data; boundary=""',
  'multipart/form-data; boundary=X; boundary=Y',
  "multipart/form-data; boundary*=utf-8''X",
  'multipart/form-data; boundary*0=X',
  'multipart/form-data; charset=utf-16; boundary=X',
  'Multipart/Form-Data; BOUNDARY="X"',
  'multipart/mixed; boundary=X',
  'multipart/form-data;boundary="X" ;',
];

const type = weighted([12, fc.constant('multipart/form-data; boundary="X"')], [1, fc.constantFrom(...TYPES)]);

const names = weighted(
  [6, fc.constantFrom('files[]', 'files[]', 'files', 'label', 'folder_id', 'on_duplicate', 'created_at', 'sha256[]')],
  [1, fc.constantFrom('files[0]', '__proto__', 'constructor', 'toString', '', 'x.y', 'file', 'url')],
  [1, nastyText],
);

const disposition = fc
  .record({ name: names, fileName: fc.option(nastyText, { freq: 3, nil: undefined }), style: fc.nat(9) })
  .map(({ name, fileName, style }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`;
    switch (style) {
      case 0:
        return `content-disposition:form-data;name=${name}${file}`;
      case 1:
        return `Content-Disposition: form-data; name*=utf-8''${name}; filename*=utf-8''%ff%zz`;
      case 2:
        return `Content-Disposition: form-data; name="${name}"; name="label"${file}; filename*=UTF-8''x%00.png`;
      case 3:
        return `Content-Disposition: attachment; name="${name}"${file}`;
      default:
        return `Content-Disposition: form-data; name="${name}"${file}`;
    }
  });

const FURTHER = [
  'Content-Type: image/jpeg',
  'Content-Type: text/plain; charset=utf-16le',
  'Content-Type: text/plain; charset=nonsense',
  'Content-Type: multipart/mixed; boundary=inner',
  'Content-Type: ',
  'Content-Transfer-Encoding: base64',
  'Content-Transfer-Encoding: quoted-printable',
  'Content-Disposition: form-data; name="label"',
  'X-Folded: a\r\n b',
  'nocolon',
  ': x',
  'X-Bytes: \xff\xfe',
];

const further = weighted(
  [9, fc.constantFrom(...FURTHER)],
  [1, fc.constantFrom(1000, 17_000).map((times) => `X-Long: ${'x'.repeat(times)}`)],
  [1, anyBytes(12)],
);

const content: fc.Arbitrary<Bytes> = weighted(
  [3, fc.constantFrom('jpeg.jpg', 'webp-lossless.webp', 'png.png', 'mp4-short.mp4').map(whole)],
  [2, brokenMedia],
  [3, nastyText],
  [2, anyId],
  [1, fc.constantFrom('return', 'keep', 'a1'.repeat(32), 'A1'.repeat(33))],
  [1, anyBytes(40)],
  [1, fc.constantFrom('\r\n--X', '\r\n--X--', '--X\r\n', '\r\n--', '\r\n\r\n', '\r', '-')],
  [1, fc.constantFrom(65_535, 65_537, 1_000_000).map((times): Bytes => ({ repeat: '\r\n-', times }))],
);

const part: fc.Arbitrary<Bytes> = fc
  .record({
    disposition: fc.option(disposition, { freq: 12, nil: '' }),
    more: weighted([3, fc.constant<string[]>([])], [1, fc.array(further, { maxLength: 3 })]),
    content,
    gap: weighted([12, fc.constant('\r\n\r\n')], [1, fc.constantFrom('\r\n', '\n\n', '\r\r', '')]),
    end: weighted([20, fc.constant('\r\n')], [1, fc.constantFrom('', '\n', '\r')]),
  })
  .map(
    ({ disposition: own, more, content: bytes, gap, end }): Bytes => [
      `--X\r\n${[own, ...more].filter((line) => line !== '').join('\r\n')}${gap}`,
      bytes,
      end,
    ],
  );

/** Mostly one part; sometimes the same part 9 to 5,000 times. */
const parts: fc.Arbitrary<Bytes> = weighted(
  [12, part],
  [1, fc.tuple(part, fc.constantFrom(9, 10, 11, 101, 5000)).map(([repeat, times]): Bytes => ({ repeat, times }))],
);

const START = ['', 'preamble\r\n', '\r\n', '--', '--X--\r\n', 'x'.repeat(70_000)];
const END = ['--X--\r\n', '--X--', '--X', '', '--X--\r\nepilogue', '--X--\r\n--X\r\n', '--X-', '--X--'.repeat(3)];

const edge = (usual: string, others: readonly string[]): fc.Arbitrary<string> =>
  weighted([12, fc.constant(usual)], [1, fc.constantFrom(...others)]);

/** Replaces the placeholder `X` by the boundary. */
function withBoundary(bytes: Bytes, mark: string): Bytes {
  if (typeof bytes === 'string') return bytes.replaceAll('--X', `--${mark}`);
  if ('seed' in bytes) return bytes;
  if ('repeat' in bytes) return { ...bytes, repeat: withBoundary(bytes.repeat, mark) };
  return bytes.map((piece) => withBoundary(piece, mark));
}

/** Uploads with bodies that no client library writes. */
export const multipart: Target = {
  about: 'multipart uploads: boundaries, part headers, names, nesting, encodings, truncation, thousands of parts',
  cases: fc
    .record({
      boundary,
      type,
      start: edge('', START),
      all: fc.array(parts, { maxLength: 5 }),
      end: edge('--X--\r\n', END),
      framing,
      keys: keyLines,
    })
    .map(({ boundary: mark, type: given, start, all, end, framing: how, keys }): RequestCase => {
      const contentType = given.replaceAll('X', mark);
      const isUpload = contentType.toLowerCase().startsWith('multipart/form-data');
      return {
        kind: 'request',
        ...(isUpload && { operation: 'POST /workspaces/{workspace}/media_contents' }),
        method: 'POST',
        target: '/v1/workspaces/{{workspace}}/media_contents',
        lines: [HOST, AUTHORIZATION, `Content-Type: ${contentType}`, ...keys],
        body: { bytes: [start, ...all, end].map((piece) => withBoundary(piece, mark)), framing: how },
      };
    }),
};
