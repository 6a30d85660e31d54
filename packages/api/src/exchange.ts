import { type Access, type Actor, Refusal, type Uuid } from '@postshelf/domain';
import { IncomingBody } from './body/incoming-body.ts';
import { type RenderedError, renderError } from './errors.ts';
import { Reply } from './reply.ts';
import { factsOf, type RequestFacts } from './request-facts.ts';
import type { RequestRecord, Service } from './service.ts';

/**
 * A request, its body, its reply, and its record for the log. Operations get only the caller and the request's
 * properties.
 */
export interface Exchange {
  readonly service: Service;
  readonly facts: RequestFacts;
  readonly body: IncomingBody;
  readonly reply: Reply;
  readonly record: Recording;
}

export function beginExchange(service: Service, request: Request, route: string | null): Exchange {
  const facts = factsOf(service, request, route);
  const record = new Recording(facts);
  return { service, facts, record, body: new IncomingBody(service, record), reply: new Reply(service.answers, record) };
}

/** Renders a failure for the client, records it for the log, and reports a fault to the operator. */
export function renderFailure({ service, facts, record }: Exchange, cause: unknown): RenderedError {
  record.refused(cause);
  const rendered = renderError(cause);
  if (rendered.isFault) service.observer.fault(cause, facts);
  return rendered;
}

/** Collects what the log says about a request. */
class Recording implements RequestRecord {
  bytesIn = 0;
  actor: Actor | null = null;
  holder: Uuid | null = null;
  tool: string | null = null;
  readonly accepted: string[] = [];
  refusal: RequestRecord['refusal'] = null;

  constructor(readonly facts: RequestFacts) {}

  known({ actor, holder }: Pick<Access, 'actor' | 'holder'>): void {
    this.actor = actor;
    this.holder = holder;
  }

  refused(cause: unknown): void {
    if (!(cause instanceof Refusal)) return;
    const { problem } = cause;
    this.refusal = { code: problem.code, fields: problem.code === 'invalid' ? Object.keys(problem.errors) : [] };
  }
}
