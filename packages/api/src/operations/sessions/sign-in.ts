import { type Credentials, checkCredentials, type SignIn, startSession } from '@postshelf/application';
import type { Session } from '@postshelf/domain';
import { countOperation } from '../../admit.ts';
import { readJsonBody } from '../../body/json.ts';
import type { Exchange } from '../../exchange.ts';
import { requireOwnOrigin } from '../../own-origin.ts';
import { readSessionCookie, sessionCookie } from '../../session-cookie.ts';
import { recordDone } from '../audit/record.ts';
import { dataOf } from '../envelopes.ts';
import { readFields } from '../fields/field-errors.ts';
import { responseOf } from '../idempotency/repeatable.ts';
import type { PlainRoute } from '../plain-route.ts';
import { newSession, session, showSession } from './schema.ts';

/** Maximum bytes of the body, which is read before the caller is known. */
const MAX_BYTES = 16 * 1024;

export const signInDocument: PlainRoute = {
  method: 'POST',
  path: '/sessions',
  bodies: { 'application/json': newSession },
  operationId: 'sessionsCreate',
  summary: 'Sign a browser in',
  description:
    'Starts a session for a token or the code of a link. The session’s secret is in a cookie that scripts can’t read, and the page’s requests have the rights of the token or person. Only the service’s own pages can do this, according to their `Origin`. The browser’s previous session ends.',
  tag: 'Sessions',
  scope: null,
  status: 201,
  extension: true,
  takesNoKey: true,
  needsNoToken: true,
  statuses: {
    401: 'The token is invalid, or the code was already used or has expired.',
    403: 'The request’s `Origin` isn’t the service’s own.',
    413: 'The JSON body is above 16 KB.',
    422: 'The request has both a token and a code, or neither of them.',
  },
  examples: { 413: 'The request body must not be larger than 16 KB.' },
  output: dataOf(session, 'BegunSession'),
};

/**
 * Handles `POST /sessions`, which exists only in REST because the answer sets a cookie. Requires the service's own
 * `Origin`: otherwise any page could sign its visitors in as another user, and they would upload to that user's
 * library.
 */
export async function signIn(exchange: Exchange): Promise<Response> {
  const { service } = exchange;
  requireOwnOrigin(service, exchange.facts.request);
  const fields = await readJsonBody(exchange.body, { limit: MAX_BYTES });
  const { token = '', code, name = null } = readFields(newSession, fields);
  const credentials: Credentials = code === undefined ? { token } : { code };
  const started = await startBrowserSession(exchange, await checkCredentials(service.ports, credentials), name);
  const body = JSON.stringify({ data: showSession(started, started) });
  return responseOf({ status: 201, body });
}

/** Starts a session and sets its cookie. @throws Refusal `too_many_requests`; whatever {@link startSession} throws */
export async function startBrowserSession(exchange: Exchange, signedIn: SignIn, name: string | null): Promise<Session> {
  const { service, reply } = exchange;
  const { request } = exchange.facts;
  const { who } = signedIn;
  await countOperation(exchange, { ...who, session: null });
  const started = await startSession(service.ports, signedIn, name, readSessionCookie(service, request));
  const seconds = Math.ceil((started.session.expiresAt - started.session.createdAt) / 1000);
  const done = { action: 'sessions.create', subjects: [started.session.id] };
  if (who.token) recordDone(exchange, who.access.actor, { ...done, workspaceId: null });
  for (const { id, workspaceId } of who.people) recordDone(exchange, { kind: 'person', id }, { ...done, workspaceId });
  reply.setCookie(sessionCookie(service, request, started.secret, seconds));
  return started.session;
}
