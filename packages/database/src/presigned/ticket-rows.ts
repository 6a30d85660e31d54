import type { PresignedUpload } from '@postshelf/domain';
import type { PresignedUploadRow } from '../repositories/tables.ts';

/** The row of a ticket that is free. */
export const ticketToRow = (ticket: PresignedUpload): PresignedUploadRow => ({
  media_id: ticket.id,
  size: ticket.size,
  type: ticket.type,
  expires_at: ticket.expiresAt,
  lease_owner: null,
  lease_until: null,
});

export const ticketFromRow = (row: PresignedUploadRow): PresignedUpload => ({
  id: row.media_id,
  size: row.size,
  type: row.type,
  expiresAt: row.expires_at,
});
