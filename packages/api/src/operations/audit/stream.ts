import type { AuditEntry, AuditFilter } from '@postshelf/domain';
import { acceptedTypes } from '../../accept-header.ts';
import { admit, type Caller } from '../../admit.ts';
import { NDJSON } from '../../body/ndjson.ts';
import { renderError } from '../../errors.ts';
import type { Exchange } from '../../exchange.ts';
import { readFields } from '../fields/field-errors.ts';
import { auditQuery, readAuditFilter, showEntry } from './schema.ts';

/** Number of lines that are read at a time. */
const LINES = 500;

/** Bytes of memory for {@link LINES} lines and their rows, if each line has the maximum length. */
const MAX_BYTES = 512 * 1024;

/** Returns the media type of lines that a client accepts; null if it wants pages. */
export function linesAccepted({ headers }: Request): string | null {
  const accepted = acceptedTypes(headers);
  return NDJSON.find((type) => accepted.includes(type)) ?? null;
}

/** Serves `GET /audit` as NDJSON of any length, reading entries as the client takes them. */
export async function streamAudit(exchange: Exchange, type: string, query: object): Promise<Response> {
  const { service, facts, reply } = exchange;
  const caller = await admit(exchange, 'operator');
  const filter = readAuditFilter(readFields(auditQuery, query, true), service.ports.clock.now());
  await service.auditLog.flush();
  reply.hold(MAX_BYTES);
  const texts = textsOf(exchange, caller, filter);
  // The first lines are read before the status is sent, because most failures happen immediately.
  let next = await texts.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (next.done) return controller.close();
        controller.enqueue(encoder.encode(next.value));
        // A failure aborts the answer, so that it doesn't look complete.
        next = await texts.next().catch((cause: unknown) => {
          if (renderError(cause).isFault) service.observer.fault(cause, facts);
          throw cause;
        });
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'Content-Type': type } });
}

async function* textsOf(
  { service, facts }: Exchange,
  caller: Caller,
  filter: AuditFilter,
): AsyncGenerator<string, void> {
  let last: AuditEntry | null = null;
  do {
    await caller.recheck();
    const entries: readonly AuditEntry[] = await service.ports.audit.listBehind(filter, last, LINES, facts.signal);
    yield entries.map((entry) => `${JSON.stringify(showEntry(entry))}\n`).join('');
    last = entries.length < LINES ? null : (entries.at(-1) ?? null);
  } while (last !== null);
}
