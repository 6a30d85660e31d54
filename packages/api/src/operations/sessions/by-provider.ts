import { isIPv4 } from 'node:net';
import { signInByProvider } from '@postshelf/application';
import { notFound, Refusal, SIGN_IN_FLOW_LIFETIME, type SignInProblem } from '@postshelf/domain';
import * as v from 'valibot';
import type { Exchange } from '../../exchange.ts';
import { baseUrl, type Service } from '../../service.ts';
import { flowCookie, readFlowCookie } from '../../session-cookie.ts';
import type { PlainRoute } from '../plain-route.ts';
import { startBrowserSession } from './sign-in.ts';

const BEGIN = '/sessions/oidc';
const FINISH = `${BEGIN}/callback` as const;

const SHARED = {
  method: 'GET',
  tag: 'Sessions',
  scope: null,
  status: 302,
  extension: true,
  needsNoToken: true,
  output: v.null(),
} as const;

const NONE = 'The service has no OpenID provider.';

const FAILURE =
  'to `PUBLIC_URL/#error=WORD`: `unknown` (nobody with this e-mail address was invited), `unverified` (the provider hasn’t verified it), `expired` (the sign-in took more than 10 minutes, was started again in the meantime, or was already completed), `denied`, `failed` (the log has the reason, as a warning or as the `code` of the request’s line).';

export const beginByProviderDocument: PlainRoute = {
  path: BEGIN,
  ...SHARED,
  operationId: 'sessionsBegin',
  summary: 'Go to the OpenID provider to sign in',
  description:
    'Redirects the browser to the provider, and sets a cookie for 10 minutes. The service’s own page links here.',
  statuses: {
    302: `Redirects to the provider, or ${FAILURE}`,
    403: 'According to `Sec-Fetch-Site`, the request does not come from the service’s own page.',
    404: NONE,
  },
};

export const finishByProviderDocument: PlainRoute = {
  path: FINISH,
  ...SHARED,
  operationId: 'sessionsFinish',
  summary: 'Come back from the OpenID provider',
  description:
    'The provider redirects the browser here, as in OpenID Connect. Starts a session for the identity that the provider confirms, in all workspaces where a person has that identity.',
  statuses: {
    302: `If signing in succeeds, redirects to \`PUBLIC_URL\` with the session’s cookie; otherwise ${FAILURE}`,
    404: NONE,
  },
};

/**
 * Handles `GET /sessions/oidc`. Accepts only requests from the service's own page, because links on other sites would
 * only confuse visitors.
 */
export async function beginByProvider(exchange: Exchange): Promise<Response> {
  const { service, reply, facts } = exchange;
  const { identityProvider: provider } = service.ports;
  if (!provider) throw notFound();
  if (facts.request.headers.get('sec-fetch-site') !== 'same-origin')
    throw new Refusal({ code: 'forbidden', message: "Signing in has to start on the service's own page." });
  return redirecting(exchange, async () => {
    const { address, flow } = await provider.begin(callbackOf(service));
    reply.setCookie(flowCookie(service, facts.request, flow, SIGN_IN_FLOW_LIFETIME / 1000));
    return address;
  });
}

/**
 * Handles `GET /sessions/oidc/callback`. Whatever the outcome, it removes the sign-in's cookie, so the callback can't
 * be used again.
 */
export async function finishByProvider(exchange: Exchange): Promise<Response> {
  const { service, reply, facts } = exchange;
  const { identityProvider: provider } = service.ports;
  if (!provider) throw notFound();
  const flow = readFlowCookie(service, facts.request);
  reply.setCookie(flowCookie(service, facts.request, '', 0));
  return redirecting(exchange, async () => {
    const release = service.returning.take(networkOf(facts.address), 1);
    const query = new URL(facts.request.url).searchParams;
    const proven = await provider.finish(callbackOf(service), query, flow).finally(() => release?.());
    if (typeof proven === 'string') return failureAt(service, proven);
    const signedIn = await signInByProvider(service.ports, proven);
    if (!signedIn) return failureAt(service, proven.email === null ? 'unverified' : 'unknown');
    await startBrowserSession(exchange, signedIn, null);
    return `${service.publicUrl}/`;
  });
}

/**
 * Returns the network of an address. For IPv6 that is the first half of the address, because internet providers assign
 * all addresses with the same first half to one customer. The result is shorter if `::` abbreviates a part of that
 * half.
 */
const networkOf = (address: string | null): string | null =>
  address === null || isIPv4(address.slice(address.lastIndexOf(':') + 1))
    ? address
    : (address.split('::', 1)[0] ?? '').split(':', 4).join(':');

const callbackOf = (service: Service): string => `${baseUrl(service)}${FINISH}`;

const failureAt = ({ publicUrl }: Service, problem: SignInProblem): string => `${publicUrl}/#error=${problem}`;

/**
 * Redirects the browser after the work, even if the work fails, so that people see a page and not an error in JSON.
 *
 * @param work returns the URL to which the browser is redirected
 */
async function redirecting(exchange: Exchange, work: () => Promise<string>): Promise<Response> {
  const { service, reply, record, facts } = exchange;
  reply.isToSession = true;
  const Location = await work().catch((cause: unknown) => {
    record.refused(cause);
    if (!(cause instanceof Refusal)) service.signInFailed(cause, facts.id);
    return failureAt(service, 'failed');
  });
  return new Response(null, { status: 302, headers: { Location } });
}
