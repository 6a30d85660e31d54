import { Refusal } from '@postshelf/domain';
import { authorizationOf, countOperation, identify } from '../../admit.ts';
import { readJsonBody } from '../../body/json.ts';
import type { Exchange } from '../../exchange.ts';
import type { Service } from '../../service.ts';

/**
 * Answers `POST /mcp`: a message of the Model Context Protocol over its Streamable HTTP transport (revision
 * 2025-11-25). Answers are JSON. There are no sessions and no streams, so GET and DELETE get 405, which the transport
 * allows. A request contains one message, not an array, as in all revisions since 2025-06-18.
 *
 * @throws Refusal `forbidden`, `unauthenticated`, `too_many_requests`; whatever {@link readJsonBody} throws
 */
export async function serveMcp(exchange: Exchange): Promise<Response> {
  const { service, facts, body, record } = exchange;
  requireKnownOrigin(service, facts.request);
  // Assistants have no cookies. A page that sends a cookie must not act for the person who is signed in.
  if (authorizationOf(facts.request) === null) throw new Refusal({ code: 'unauthenticated' });
  const caller = await identify(exchange);
  record.known(caller.who.access);
  const message = await readJsonBody(body, { caller });
  let isCounted = false;
  const count = async (): Promise<void> => {
    isCounted = true;
    await countOperation(exchange, caller.who);
  };
  // A tool call is counted in `callTool`, so that a refusal becomes the tool's answer.
  if (!isCall(message)) await count();
  // The module is loaded with the first message, because few installations have assistants.
  const { answerMessage } = await import('./protocol.ts');
  const answer = await answerMessage(exchange, caller, message, count);
  // A tool call that isn't a valid message doesn't reach `callTool`.
  if (!isCounted) await count();
  return answer;
}

const isCall = ({ method, id }: Readonly<Record<string, unknown>>): boolean =>
  method === 'tools/call' && id !== undefined;

/**
 * Prevents DNS rebinding (revision 2025-11-25, "Streamable HTTP", "Security Warning"). A comparison with the origin of
 * the request's URL wouldn't suffice, because after DNS rebinding the URL contains the attacker's host name.
 *
 * @throws Refusal `forbidden`
 */
function requireKnownOrigin({ publicUrl, allowsOrigin }: Service, { headers }: Request): void {
  const origin = headers.get('origin');
  if (origin === null || origin === new URL(publicUrl).origin || allowsOrigin(origin)) return;
  throw new Refusal({ code: 'forbidden', message: 'Pages from this Origin are not allowed to use the service.' });
}
