import type { WorkspaceUsage } from '@postshelf/domain';
import type * as v from 'valibot';
import type { usage } from './schema.ts';

export const showUsage = ({
  maxBytes,
  maxItems,
  bytes,
  items,
  images,
  videos,
  trashBytes,
  trashItems,
}: WorkspaceUsage): v.InferOutput<typeof usage> => ({
  bytes,
  items,
  images,
  videos,
  trash_bytes: trashBytes,
  trash_items: trashItems,
  max_bytes: maxBytes,
  max_items: maxItems,
});
