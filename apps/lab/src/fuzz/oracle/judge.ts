import type { RequestCase } from '../case.ts';
import type { Answer } from '../http/answer.ts';
import type { Outcome } from '../http/exchange.ts';
import { misfits } from './contract.ts';
import { answerSignature } from './signature.ts';

/** The result of a case. */
export interface Verdict {
  /** Sentences about faults; none if all is well. */
  readonly complaints: readonly string[];
  /** Identifies this kind of answer. A case with a new signature is worth keeping. */
  readonly signature: string;
}

/**
 * Internals that no error message may contain: a stack trace, a source position, an error class, a database message, or
 * HTML.
 */
const INSIDES = /\bat (?:\S+ \()?\S+:\d+:\d+|node_modules|\.ts:\d|\b[A-Z][a-z]+Error\b|SQLITE_|<!doctype|<html/;

/** Signs of a fault in an MCP answer, which has the status 200 even if a tool fails. */
const FAULT = /Server error\.|\\n +at \S/;

/**
 * Statuses of answers that the HTTP layer sends without a body (RFC 9110 section 15). 501 and 505 are allowed, because
 * the fuzzer's requests cause them.
 */
const HTTP_LAYER = new Set([400, 411, 413, 414, 417, 431, 501, 505]);

/** Methods that routes have. All other methods count as the same odd method. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Folders of the service, which no answer may contain. */
export interface Secrets {
  readonly folders: readonly string[];
}

/** Judges an outcome, and computes its signature. */
export function judge(request: RequestCase, outcome: Outcome, secrets: Secrets): Verdict {
  const name =
    request.operation ?? `${METHODS.has(request.method) ? request.method : 'odd'} ${routeOf(request.target)}`;
  if (outcome.kind === 'answered') {
    const { answer } = outcome;
    const json = jsonOf(answer);
    const complaints = judgeAnswer(request, answer, json, secrets);
    return { complaints, signature: `${name} ${answerSignature(answer, json)}` };
  }
  const signature = `${name} ${outcome.kind}`;
  if (outcome.kind === 'garbled') return { complaints: [outcome.why], signature };
  return { complaints: request.isBadHttp ? [] : [`The request was left ${outcome.kind}.`], signature };
}

function judgeAnswer(request: RequestCase, answer: Answer, json: unknown, secrets: Secrets): readonly string[] {
  const { status, headers, body } = answer;
  const isOfHttp = HTTP_LAYER.has(status) && body.length === 0 && !headers.has('x-request-id');
  if (isOfHttp) return request.isBadHttp ? [] : [`The HTTP layer answered ${status}.`];
  const complaints: string[] = [];
  if (status >= 500) complaints.push(`The status is ${status}.`);
  if (!headers.has('x-request-id')) complaints.push('The answer has no X-Request-Id.');
  const text = body.toString('latin1');
  const leak = [...headers.values(), text].find((part) => secrets.folders.some((folder) => part.includes(folder)));
  if (leak !== undefined) complaints.push('The answer names a folder of the service.');
  if (status >= 400) complaints.push(...misshapen(answer, json));
  else if (request.target === '/mcp' && FAULT.test(text)) complaints.push('A tool shows a fault.');
  if (isUnguardedPage(headers)) complaints.push('A page may run scripts that are written into it.');
  const { operation } = request;
  // Errors that concern the request itself are documented once for all operations, in docs/api.md.
  const isOfRequest = status === 431 || (request.isBadHttp && status === 400);
  const isOwn = operation !== undefined && !isOfRequest;
  if (isOwn) complaints.push(...misfits(operation, answer, json));
  return complaints;
}

/** Whether a browser would show the answer as a page, and run scripts in it. */
const isUnguardedPage = (headers: ReadonlyMap<string, string>): boolean => {
  const type = headers.get('content-type') ?? '';
  const policy = headers.get('content-security-policy') ?? '';
  const scripts = (/(?:^|; )script-src ([^;]*)/.exec(policy) ?? /(?:^|; )default-src ([^;]*)/.exec(policy))?.[1];
  return /html|svg|xml/.test(type) && (scripts === undefined || scripts.includes('unsafe-'));
};

/**
 * Checks the body of an error. It must be exactly `{message}` or `{message, errors}` (docs/api.md, "Errors"), or an
 * error envelope of tRPC or JSON-RPC, and must not contain internals. Returns complaints; none if it is right.
 */
function misshapen({ status, headers, body }: Answer, json: unknown): readonly string[] {
  if (body.length === 0 && headers.get('content-length') !== undefined) return [];
  if (!(headers.get('content-type') ?? '').startsWith('application/json')) return [`An error ${status} isn't JSON.`];
  if (typeof json !== 'object' || json === null) return [`An error ${status} has a body that doesn't parse.`];
  const keys = Object.keys(json).sort().join();
  const isEnvelope = Array.isArray(json) || keys === 'error' || keys === 'error,id,jsonrpc';
  if (!isEnvelope && keys !== (status === 422 ? 'errors,message' : 'message'))
    return [`An error ${status} has ${keys}.`];
  const message = 'message' in json ? String(json.message) : '';
  return INSIDES.test(message) ? [`An error ${status} has internals: ${message.slice(0, 200)}`] : [];
}

function jsonOf({ body }: Answer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** Returns the path without ids. All paths with unusual characters count as the same odd path. */
function routeOf(target: string): string {
  const path = (target.split('?', 1)[0] ?? '')
    .replace(/^\/trpc\/.*,.*$/s, '/trpc/batch')
    .replaceAll(/\{\{\w+\}\}/g, '*');
  if (/\/\/|\.\.|[^\w/*.-]/.test(path)) return 'odd path';
  return path.replace(/^(\/[^/]*\/[^/]*).*$/, '$1').slice(0, 40);
}
