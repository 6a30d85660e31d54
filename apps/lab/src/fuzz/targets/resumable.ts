import fc from 'fast-check';
import { AUTHORIZATION, framing, HOST } from '../arbitraries/request.ts';
import { weighted } from '../arbitraries/text.ts';
import type { RequestCase } from '../case.ts';
import type { Target } from './target.ts';

/** Valid and invalid headers of tus. */
const lines: fc.Arbitrary<readonly string[]> = fc
  .record({
    'Tus-Resumable': weighted([9, fc.constant('1.0.0')], [1, fc.constantFrom('', '0.2.2', '\xff')]),
    'Upload-Offset': fc.constantFrom('0', '1', '99', '-1', '1e3', '9'.repeat(30), ''),
    'Upload-Length': fc.constantFrom('100', '0', '2147483649', '-1', 'x'),
    'Upload-Metadata': fc.constantFrom(
      'filename YS5wbmc=',
      'filename YS5wbmc=,filename YS5wbmc=',
      'filename /w==',
      'filename YS5wbmc=,folder_id eA==,digest eA==,label AA==',
      ' , ,',
    ),
    'Upload-Checksum': weighted([3, fc.constant('')], [1, fc.constantFrom('sha1 AAAA', 'md5 AAAA', 'sha256', ' ')]),
  })
  .map((headers) => Object.entries(headers).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`])));

const CREATE = '/workspaces/{workspace}/uploads';
const UPLOAD = '/uploads/{id}';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly target: string;
}

const asked = (method: string, path: string, id: string): Asked => ({
  method,
  path,
  target: `/v1${path.replace('{id}', `{{${id}}}`).replace('{workspace}', '{{workspace}}')}`,
});

/** Requests that delete an upload don't contain its real id, because other cases need the upload. */
const request = weighted(
  [3, fc.constant(asked('POST', CREATE, ''))],
  [6, fc.constantFrom('PATCH', 'HEAD', 'OPTIONS').map((method) => asked(method, UPLOAD, 'resumable'))],
  [1, fc.constantFrom('PATCH', 'HEAD', 'DELETE').map((method) => asked(method, UPLOAD, 'unknown'))],
);

const type = weighted([5, fc.constant('application/offset+octet-stream')], [1, fc.constantFrom('image/png', '')]);

/** Resumable uploads, which are controlled by headers. */
export const resumable: Target = {
  about: 'resumable uploads: offsets, lengths, metadata and checksums in headers, with bytes that match them or not',
  cases: fc
    .record({ request, lines, type, bytes: fc.constantFrom('', 'x', 'x'.repeat(99), 'x'.repeat(5000)), framing })
    .map(
      ({ request: { method, path, target }, lines: headers, type: contentType, bytes, framing: how }): RequestCase => {
        const hasBody = method === 'POST' || method === 'PATCH';
        return {
          kind: 'request',
          // HEAD and OPTIONS aren't checked against the OpenAPI document, because it describes them only in prose.
          ...(method !== 'HEAD' && method !== 'OPTIONS' && { operation: `${method} ${path}` }),
          method,
          target,
          lines: [HOST, AUTHORIZATION, ...(hasBody ? [`Content-Type: ${contentType}`] : []), ...headers],
          ...(hasBody && { body: { bytes, framing: how } }),
        };
      },
    ),
};
