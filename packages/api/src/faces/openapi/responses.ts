import { REQUEST_IN_PROGRESS, UPLOAD_LOCKED, WRONG_CHECKSUM } from '@postshelf/domain';
import type { GenericSchema } from 'valibot';
import { CHANGED } from '../../errors.ts';
import { type Described, takesIfMatch } from '../../operations/operation.ts';
import type { RouteTraits } from '../../operations/plain-route.ts';
import { referenceTo } from './components.ts';
import type { Content, Document, Response } from './document-shape.ts';
import { type ExampleError, exampleError } from './examples.ts';
import type { JsonSchema } from './json-schema.ts';

const JSON_TYPE = 'application/json';

// The name isn't `Error`, which would hide the language's own type in clients that are generated from the document.
const ERROR = 'ErrorBody';
const VALIDATION_ERROR = 'ValidationErrorBody';

/** The two forms of an error, which have no further fields (docs/api.md, "Errors"). */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  [ERROR]: {
    type: 'object',
    properties: { message: { type: 'string', description: 'What went wrong, as a sentence for people.' } },
    required: ['message'],
    additionalProperties: false,
  },
  [VALIDATION_ERROR]: {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'The first sentence of `errors`, and the number of further ones.' },
      errors: {
        type: 'object',
        description: 'What is wrong with each invalid field, by the field’s dotted path (`files.0.size`).',
        additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
      },
    },
    required: ['message', 'errors'],
    additionalProperties: false,
  },
};

const REPLAYED = { $ref: '#/components/headers/IdempotencyReplayed' };
const ETAG = { $ref: '#/components/headers/ETag' };
const LOCATION = { required: true, schema: { type: 'string', format: 'uri' } };
const REQUEST_ID = { $ref: '#/components/headers/RequestId' };

export const HEADERS: NonNullable<Document['components']['headers']> = {
  RequestId: { description: 'Identifies the request in the log.', schema: { type: 'string', format: 'uuid' } },
  WwwAuthenticate: { description: 'RFC 6750.', schema: { type: 'string', const: 'Bearer' } },
  RetryAfter: { description: 'Seconds.', schema: { type: 'string' } },
  ETag: {
    description:
      'The value for `If-None-Match`, and for `If-Match` if the operation accepts that. Absent with `include=usage`.',
    required: false,
    schema: { type: 'string' },
  },
  IdempotencyReplayed: {
    description: 'Only in the answer to a repeat: nothing was done again, and this is the earlier answer.',
    required: false,
    schema: { type: 'string', const: 'true' },
  },
};

interface Failure {
  readonly name: string;
  readonly description: string;
  /** The shared example; null if each operation has an example of its own, see {@link exampleError}. */
  readonly example: ExampleError | null;
  readonly headers?: Readonly<Record<string, unknown>>;
}

const FAILURES: Readonly<Record<number, Failure>> = {
  400: {
    name: 'Malformed',
    description: 'The body does not match its `Content-Type`, is not a JSON object, or ended early.',
    example: { message: 'The request body is not valid JSON.' },
  },
  401: {
    name: 'Unauthenticated',
    description: 'The request has no token, or one that is forged, expired or revoked.',
    example: { message: 'Unauthenticated.' },
    headers: { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } },
  },
  403: {
    name: 'Forbidden',
    description:
      'The scope is missing; or a browser’s session sent a request that changes something, and its `Origin` isn’t the service’s own.',
    example: { message: 'The scope media:write is missing.' },
  },
  404: {
    name: 'NotFound',
    description: 'An id in the path doesn’t exist, or the token has no access to it.',
    example: { message: 'Not found.' },
  },
  408: {
    name: 'TooSlow',
    description: 'The body stalled or arrived too slowly.',
    example: { message: 'The request body arrived too slowly.' },
  },
  409: {
    name: 'BeingAnswered',
    description: 'Another request with this `Idempotency-Key` is still in progress.',
    example: { message: REQUEST_IN_PROGRESS },
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  },
  412: {
    name: 'Changed',
    description: 'The resource no longer matches `If-Match`; nothing was done. Its current `ETag` is in the header.',
    example: { message: CHANGED },
    headers: { ETag: ETAG },
  },
  413: {
    name: 'TooLarge',
    description: 'The JSON body is above 1 MB.',
    example: null,
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The operation does not accept this `Content-Type`, or the request has a `Content-Encoding`.',
    example: { message: 'The Content-Type must be application/json.' },
  },
  422: {
    name: 'Invalid',
    description: 'Fields are invalid; all of them are reported at once.',
    example: null,
  },
  423: {
    name: 'Locked',
    description: UPLOAD_LOCKED,
    example: { message: UPLOAD_LOCKED },
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  },
  429: {
    name: 'TooManyRequests',
    description: 'The token sends more requests than the operator allows.',
    example: { message: 'Too many requests.' },
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  },
  460: {
    name: 'WrongChecksum',
    description: WRONG_CHECKSUM,
    example: { message: WRONG_CHECKSUM },
  },
  500: { name: 'Fault', description: 'The service failed unexpectedly.', example: { message: 'Server error.' } },
  503: {
    name: 'Unavailable',
    description:
      'The database or the storage is unreachable or full, too many uploads are in progress, or too many large answers are still unread.',
    example: { message: 'The database is unavailable. Try again later.' },
    headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
  },
  507: {
    name: 'StorageLow',
    description:
      'The disk is low on space: no files or posts are accepted for now. If even less space is left, nothing new is accepted.',
    example: { message: 'The storage is low on space and cannot accept more files.' },
  },
};

/** The descriptions of failures that mean the same in all operations. */
export const SHARED_DESCRIPTIONS: ReadonlySet<string> = new Set(
  Object.values(FAILURES).map(({ description }) => description),
);

const failureResponse = (
  status: number,
  failure: Failure,
  description = failure.description,
  example = failure.example,
): Response => ({
  description,
  headers: { 'X-Request-Id': REQUEST_ID, ...failure.headers },
  content: {
    [JSON_TYPE]: {
      schema: referenceTo(status === 422 ? VALIDATION_ERROR : ERROR),
      example,
    },
  },
});

/** The shared failures that operations refer to. */
export const FAILURE_RESPONSES = Object.fromEntries(
  Object.entries(FAILURES)
    .filter(([, { example }]) => example !== null)
    .map(([status, failure]) => [failure.name, failureResponse(Number(status), failure)]),
);

const SUCCESSES: Readonly<Record<number, string>> = { 200: 'OK.', 201: 'Created.', 202: 'Accepted.', 204: 'Done.' };

/** The answer to clients that already have the `ETag`. */
const NOT_MODIFIED: Response = { description: 'Not modified.', headers: { 'X-Request-Id': REQUEST_ID, ETag: ETAG } };

export interface OperationTraits {
  readonly hasPathParameters: boolean;
  readonly readsBody: boolean;
  readonly takesAnyLength: boolean;
  readonly hasFields: boolean;
  /** Whether the operation takes an `Idempotency-Key`. */
  readonly takesKey: boolean;
  /** The schema of the operation's query or body. */
  readonly fields: GenericSchema | undefined;
}

/** Returns the responses of an operation. `output` is the body of each success except 204. */
export function responsesOf(described: Described & RouteTraits, output: JsonSchema, traits: OperationTraits) {
  const {
    method,
    scope,
    status,
    statuses = {},
    onlyReads,
    isConstant = false,
    versioned = false,
    mediaType = JSON_TYPE,
    without = [],
  } = described;
  const isTagged = isConstant || versioned;
  const ownStatuses = Object.keys(statuses).map(Number);
  // The usual failure statuses. Operations that redirect have none of them: they redirect browsers to a page that shows
  // the failure.
  const usual = [
    401,
    ...(scope === null && !changes(method) ? [] : [403]),
    ...failuresFrom(traits),
    ...(takesIfMatch(described) ? [412] : []),
    429,
    500,
    503,
    ...(mayGrow(method) && !onlyReads ? [507] : []),
  ];
  const all = new Set([status, ...ownStatuses, ...(status === 302 ? [] : usual)]);
  const answers = [...all]
    .filter((code) => !without.includes(code))
    .sort((a, b) => a - b)
    .map((code): [string, Response | { $ref: string }] => {
      const ownDescription = statuses[code];
      const failure = FAILURES[code];
      if (!failure) {
        const description = ownDescription ?? SUCCESSES[code] ?? 'Done.';
        const isEmpty = code === 204 || code === 302 || mediaType === null;
        const content = isEmpty ? undefined : { [mediaType]: { schema: output } };
        const response = successResponse(description, content, traits.takesKey, isTagged && code !== 204);
        return [
          String(code),
          code === 302 ? { ...response, headers: { ...response.headers, Location: LOCATION } } : response,
        ];
      }
      const ownExample = exampleError(code, described, traits.fields);
      const isShared = !ownExample && (ownDescription === undefined || ownDescription === failure.description);
      if (isShared) return [String(code), { $ref: `#/components/responses/${failure.name}` }];
      return [String(code), failureResponse(code, failure, ownDescription, ownExample)];
    });
  return Object.fromEntries(isTagged && method === 'GET' ? [...answers, ['304', NOT_MODIFIED]] : answers);
}

const changes = (method: Described['method']): boolean => method !== 'GET';

/** Whether a request may need more space on the disk. */
const mayGrow = (method: Described['method']): boolean => changes(method) && method !== 'DELETE';

/** Returns the statuses of failures that an operation's input can cause. */
function failuresFrom({
  hasPathParameters,
  readsBody,
  takesAnyLength,
  hasFields,
  takesKey,
}: OperationTraits): readonly number[] {
  return [
    ...(hasPathParameters ? [404] : []),
    ...(readsBody ? [400, 408, 415] : []),
    ...(readsBody && !takesAnyLength ? [413] : []),
    ...(hasFields || takesKey ? [422] : []),
    ...(takesKey ? [409] : []),
  ];
}

const successResponse = (
  description: string,
  content: Content | undefined,
  mayBeReplayed: boolean,
  isTagged: boolean,
): Response => ({
  description,
  headers: {
    'X-Request-Id': REQUEST_ID,
    ...(mayBeReplayed && { 'Idempotency-Replayed': REPLAYED }),
    ...(isTagged && { ETag: ETAG }),
  },
  ...(content && { content }),
});
