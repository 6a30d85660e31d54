import { sliceOf } from '@postshelf/domain';
import { baseUrl } from '../../service.ts';
import { operation } from '../operation.ts';
import { pageEnvelope, pageOf, readPage } from '../pagination.ts';
import { auditEntry, auditQuery, readAuditFilter, showEntry } from './schema.ts';

export const audit = {
  list: operation({
    method: 'GET',
    path: '/audit',
    summary: 'List audit entries',
    description:
      'Lists requests and commands that changed something in the last 90 days, newest first. Entries must match all filters given. With `Accept: application/x-ndjson`, the answer has all entries, one JSON object per line, without pages.',
    tag: 'Audit',
    scope: 'operator',
    status: 200,
    extension: true,
    input: auditQuery,
    output: pageOf(auditEntry, 'AuditPage'),
    async run({ service, facts, input }) {
      // Writes the pending entries of this process, so that the answer contains them. Other processes write theirs
      // within a moment.
      await service.auditLog.flush();
      const { audit: entries, clock } = service.ports;
      const filter = readAuditFilter(input, clock.now());

      const rows = await entries.list(filter, sliceOf(readPage(input)), facts.signal);
      return pageEnvelope(`${baseUrl(service)}/audit`, input, rows, showEntry);
    },
  }),
};
