import type { RequestObserver, RequestRecord } from '@postshelf/api';
import type { RequestLog } from '../telemetry/log/request-log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** Paths that machines poll. Requests for them are logged at the usual level only if they fail. */
const PROBES: readonly (string | null)[] = ['/health', '/ready', '/metrics'];

export interface ObserverParts {
  readonly telemetry: Telemetry & { readonly metrics: Metrics };
  readonly logRequest: RequestLog;
}

interface Answered {
  readonly record: RequestRecord;
  readonly status: number;
  readonly ms: number;
}

export function createObserver({ telemetry, logRequest }: ObserverParts): RequestObserver {
  const { log, metrics, tracing } = telemetry;
  const note = ({ record, status, ms }: Answered): void => {
    const { facts, bytesIn, actor, tool, accepted, refusal } = record;
    const { id, route, address } = facts;
    const { method, url } = facts.request;
    metrics.answered({ method, route, status, seconds: ms / 1000, bytesIn });
    const level = PROBES.includes(route) && status < 400 ? 'debug' : 'info';
    logRequest(level, {
      id,
      method,
      // The query is omitted, because it may contain secrets.
      path: pathOf(url),
      route,
      status,
      ms: Math.round(ms),
      bytes: bytesIn,
      token: actor?.kind === 'token' ? actor.id : null,
      person: actor?.kind === 'person' ? actor.id : undefined,
      address,
      tool: tool ?? undefined,
      media: joined(accepted),
      code: refusal?.code,
      field: joined(refusal?.fields ?? []),
    });
  };
  let answered: Answered[] = [];
  // The answers of one turn of the event loop are recorded together, after all of them have been sent. This takes a
  // third of the time of recording each answer immediately.
  const noteAll = (): void => {
    const all = answered;
    answered = [];
    for (const each of all) note(each);
  };
  process.once('exit', noteAll);
  return {
    async observe(record, answer) {
      // `/metrics` has to include all earlier answers, so they are recorded first.
      if (PROBES.includes(record.facts.route)) noteAll();
      const start = performance.now();
      metrics.came();
      const response = await tracing.request(record.facts, answer);
      const count = answered.push({ record, status: response.status, ms: performance.now() - start });
      if (count === 1) setImmediate(noteAll);
      return response;
    },
    fault: (err, { id }) => log.error({ err, id }, 'request failed'),
    missing(media) {
      metrics.mediaMissing();
      log.error({ media }, 'the bytes of an active media item are missing');
    },
    warning: (message, { cause, ...details }) => log.warn({ err: cause, ...details }, message),
  };
}

const joined = (all: readonly string[]): string | undefined => (all.length > 0 ? all.join(',') : undefined);

function pathOf(url: string): string {
  const path = url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?', path);
  return url.slice(path, query < 0 ? undefined : query);
}
