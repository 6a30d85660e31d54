import { signInByProvider } from '@postshelf/application';
import { type IdentityProvider, notFound, Refusal, SIGN_IN_FLOW_LIFETIME, type SignInProblem } from '@postshelf/domain';
import * as v from 'valibot';
import type { Exchange } from '../../exchange.ts';
import { baseUrl, type Service } from '../../service.ts';
import { flowCookie, readFlowCookie } from '../../session-cookie.ts';
import type { PlainRoute } from '../plain-route.ts';
import { startSession } from './sign-in.ts';

const PATH = '/sessions/oidc';

const documentOf = (
  path: `/${string}`,
  own: Pick<Described, 'operationId' | 'summary' | 'description' | 'statuses'>,
) => ({
  method: 'GET' as const,
  path,
  bodies: {},
  described: {
    ...own,
    method: 'GET' as const,
    path,
    tag: 'Sessions',
    scope: null,
    status: 302 as const,
    extension: true,
    needsNoToken: true,
    output: v.null(),
  },
});

type Described = NonNullable<PlainRoute['described']>;

const NONE = 'The service has no OpenID provider.';

const FAILURE =
  'to `PUBLIC_URL/#error=WORD`: `unknown` (nobody was invited by the e-mail address), `unverified` (the provider hasn’t verified it), `expired` (it took more than 10 minutes, or was begun again meanwhile), `denied`, `failed` (the log says why).';

export const beginByProviderDocument: PlainRoute = documentOf(PATH, {
  operationId: 'sessionsBegin',
  summary: 'Go to the OpenID provider to sign in',
  description:
    'Where a link of the service’s own page leads: the browser goes on to the provider, with a cookie for 10 minutes.',
  statuses: {
    302: `To the provider; or ${FAILURE}`,
    403: 'Not from the service’s own page, as `Sec-Fetch-Site` says.',
    404: NONE,
  },
});

export const finishByProviderDocument: PlainRoute = documentOf(`${PATH}/callback`, {
  operationId: 'sessionsFinish',
  summary: 'Come back from the OpenID provider',
  description:
    'Where the provider sends the browser to, by OpenID Connect. Begins a session as everybody whom the provider proves the browser’s user to be, in all their workspaces.',
  statuses: {
    302: `Signed in: to \`PUBLIC_URL\`, with the session’s cookie. Otherwise ${FAILURE}`,
    404: NONE,
  },
});

/** `GET /sessions/oidc`. Pages of others could begin it to no use but a cookie, and requests to the provider. */
export async function beginByProvider(exchange: Exchange): Promise<Response> {
  const { service, reply, facts } = exchange;
  const { request } = facts;
  const provider = requireProvider(service);
  if (request.headers.get('sec-fetch-site') !== 'same-origin')
    throw new Refusal({ code: 'forbidden', message: "Signing in begins on the service's own page." });
  return redirecting(exchange, async () => {
    const { address, flow } = await provider.begin(callbackOf(service));
    reply.setCookie(flowCookie(service, request, flow, SIGN_IN_FLOW_LIFETIME / 1000));
    return { address };
  });
}

/** `GET /sessions/oidc/callback`. Whatever comes of it, the browser can't come back once more. */
export async function finishByProvider(exchange: Exchange): Promise<Response> {
  const { service, reply, facts } = exchange;
  const { request } = facts;
  const provider = requireProvider(service);
  const flow = readFlowCookie(service, request);
  reply.setCookie(flowCookie(service, request, '', 0));
  return redirecting(exchange, async () => {
    const proven = await provider.finish(callbackOf(service), new URL(request.url).searchParams, flow);
    if (typeof proven === 'string') return { problem: proven };
    const signedIn = await signInByProvider(service.ports, proven);
    if (!signedIn) return { problem: proven.email === null ? 'unverified' : 'unknown' };
    await startSession(exchange, signedIn, null);
    return { address: `${service.publicUrl}/` };
  });
}

const callbackOf = (service: Service): string => `${baseUrl(service)}${PATH}/callback`;

function requireProvider({ ports }: Service): IdentityProvider {
  if (!ports.identityProvider) throw notFound();
  return ports.identityProvider;
}

type Target = { readonly address: string } | { readonly problem: SignInProblem };

/** People see a page, not the JSON of an error. */
async function redirecting(
  { service, reply, record, facts }: Exchange,
  work: () => Promise<Target>,
): Promise<Response> {
  reply.isToSession = true;
  const target = await work().catch((cause: unknown): Target => {
    record.refused(cause);
    if (!(cause instanceof Refusal))
      service.observer.warning('somebody could not sign in by the OpenID provider', { cause, id: facts.id });
    return { problem: 'failed' };
  });
  const Location = 'address' in target ? target.address : `${service.publicUrl}/#error=${target.problem}`;
  return new Response(null, { status: 302, headers: { Location } });
}
