import type { Case, MediaCase, RequestCase } from './case.ts';
import { exchange, type Outcome, requestBytes } from './http/exchange.ts';
import { judge, type Verdict } from './oracle/judge.ts';
import type { World } from './service/world.ts';
import { playInspection } from './targets/inspect.ts';
import { settle } from './targets/media-ways.ts';

/** Milliseconds to wait without receiving data. The service always answers earlier. */
const TIMEOUT = 20_000;
/**
 * Milliseconds to wait without receiving data after an incomplete request. The service waits only half a second for the
 * rest of a request's body.
 */
const SHORT_TIMEOUT = 4_000;

/** Plays a case and judges its outcome. */
export async function play(world: World, given: Case): Promise<Verdict> {
  if (given.kind === 'inspection') return playInspection(given);
  return given.kind === 'request' ? playRequest(world, given) : playMedia(world, given);
}

async function playRequest(world: World, request: RequestCase): Promise<Verdict> {
  const isCut = isIncomplete(request);
  const outcome = await exchange({
    port: world.program.port,
    method: request.method,
    bytes: requestBytes(request, world.filler(request.bearer)),
    timeout: request.isBadHttp || isCut ? SHORT_TIMEOUT : TIMEOUT,
    ends: isCut,
  });
  const verdict = judge(isCut ? { ...request, isBadHttp: true } : request, outcome, world.secrets);
  return isBreakIn(request, outcome) ? { ...verdict, complaints: ['Access was granted without permission.'] } : verdict;
}

const isIncomplete = ({ body }: RequestCase): boolean =>
  body !== undefined && typeof body.framing === 'object' && 'claimed' in body.framing;

/**
 * Whether the service accepted a request that it should have refused: one that the case marks as `mustFail`, or one
 * whose token isn't signed like the service's own tokens. White space after a valid token is allowed.
 */
function isBreakIn({ bearer, mustFail }: RequestCase, outcome: Outcome): boolean {
  if (outcome.kind !== 'answered' || outcome.answer.status >= 400) return false;
  if (!bearer) return mustFail === true;
  const isOurs = bearer.key === 'own' && bearer.hash === 'sha256' && bearer.tail.trim() === '';
  return !isOurs || !/"alg":"HS256"/.test(bearer.header);
}

/** Stores a file, and judges each answer and the item's final status. */
async function playMedia(world: World, given: MediaCase): Promise<Verdict> {
  const complaints: string[] = [];
  const signatures: string[] = [];
  const ask = async (request: RequestCase): Promise<unknown> => {
    const { port } = world.program;
    const bytes = requestBytes(request, world.filler());
    const outcome = await exchange({ port, method: request.method, bytes, timeout: 3 * TIMEOUT });
    const verdict = judge(request, outcome, world.secrets);
    complaints.push(...verdict.complaints);
    signatures.push(verdict.signature);
    return outcome.kind === 'answered' ? parse(outcome.answer.body) : null;
  };
  const settled = await settle(world, given, ask);
  if (settled.complaint !== null) complaints.push(settled.complaint);
  return { complaints, signature: [given.way, ...signatures.slice(-1), settled.status].join(' ') };
}

function parse(body: Buffer): unknown {
  return body.length === 0 ? null : JSON.parse(body.toString('utf8'));
}
