import type { Answer } from '@postshelf/application';
import { admit } from '../../admit.ts';
import { readJsonBody } from '../../body/json.ts';
import type { Exchange } from '../../exchange.ts';
import { fingerprintOfFields } from '../../operations/idempotency/fingerprint.ts';
import {
  answerKeyed,
  type Complete,
  keyOf,
  requestLineOf,
  responseOf,
} from '../../operations/idempotency/repeatable.ts';
import { withheldBy } from '../../operations/idempotency/withheld.ts';
import { type AnyOperation, changes, takesIfMatch } from '../../operations/operation.ts';
import { perform } from '../../operations/perform.ts';
import { etagOf, readIfMatch, readVersion } from '../../operations/versions/versions.ts';
import { taggedResponse, versionedResponse } from './tagged.ts';

export type Params = Readonly<Record<string, string>>;

export type Handler = (exchange: Exchange, params: Params) => Promise<Response> | Response;

/**
 * Returns the REST handler of an operation. Path parameters take precedence over the body, so a body can't name another
 * resource.
 */
export function handlerOf(operation: AnyOperation): Handler {
  const { method, scope, status, inQuery = [], isConstant = false, versioned = false } = operation;
  const takesBody = method !== 'GET' && method !== 'DELETE';
  return async (exchange, params) => {
    const { request } = exchange.facts;
    // The body isn't read before the token has been checked.
    const caller = await admit(exchange, scope);
    const key = method === 'POST' ? keyOf(request) : null;
    const fields = takesBody
      ? withQuery(await readJsonBody(exchange.body, { caller }), request, inQuery)
      : readQuery(request);
    const raw = { ...fields, ...params };
    const expected = takesIfMatch(operation) ? readIfMatch(request) : null;
    // A stored answer that is sent again is about a new resource, and those all have the same first version.
    let version = versioned ? readVersion(null) : null;
    const work = async (complete?: Complete): Promise<Answer> => {
      const stores = complete && ((shown: unknown) => complete(answerOf(shown)));
      const performed = await perform(operation, exchange, caller, raw, { complete: stores, expected });
      version = performed.version;
      const answer = answerOf(performed.shown);
      if (!changes(operation)) exchange.reply.hold(Buffer.byteLength(answer.body));
      return answer;
    };
    const keyed = key !== null && { key, fingerprint: fingerprintOfFields(requestLineOf(request), fields) };
    const answer = await (keyed
      ? answerKeyed(exchange, caller, keyed, work, withheldBy(operation, exchange.service))
      : work());
    if (isConstant) return taggedResponse(request, answer.body);
    if (status === 204) return new Response(null, { status });
    return version ? versionedResponse(request, answer, etagOf(version)) : responseOf(answer);
  };

  function answerOf(result: unknown): Answer {
    return { status: status === 201 && isProcessing(result) ? 202 : status, body: JSON.stringify(result) };
  }
}

/** Matches the suffixes that axios, PHP and other programs add to the name of a list: `tag[]`, `tag[0]`. */
const LIST_SUFFIX = /\[\d{0,9}\]$/;

/**
 * Returns the query's values by name. The value of a repeated name is a list, and the schema decides whether a list is
 * allowed. Empty values count as absent.
 */
export function readQuery({ url }: Request): Readonly<Record<string, string | readonly string[]>> {
  const at = url.indexOf('?');
  if (at < 0) return {};
  const values = new Map<string, string | string[]>();
  for (const [sentName, value] of new URLSearchParams(url.slice(at))) {
    if (value === '') continue;
    const name = sentName.replace(LIST_SUFFIX, '');
    const before = values.get(name);
    if (Array.isArray(before)) before.push(value);
    else values.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(values);
}

/** Adds the fields that are read from the query ({@link Described.inQuery}). */
function withQuery(body: object, request: Request, names: readonly string[]): object {
  if (names.length === 0) return body;
  const query = readQuery(request);
  return { ...body, ...Object.fromEntries(names.map((name) => [name, query[name]])) };
}

/** Whether an item in the result is `processing`, so that the answer is 202 (docs/api.md, "Upload media"). */
function isProcessing(result: unknown): boolean {
  const { data } = result as { readonly data?: unknown };
  return Array.isArray(data) && data.some((item: { readonly status?: unknown }) => item.status === 'processing');
}
