import type { Workspace } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';

const timezone = documented(v.string(), { description: 'An IANA name.', examples: ['Europe/Berlin'] });

export const workspace = documented(
  v.object({
    id: documented(v.string(), { format: 'uuid' }),
    name: v.string(),
    timezone,
    strip_location: documented(v.nullable(v.boolean()), {
      description: 'Whether coordinates are removed from new files; null: as the service does by default.',
    }),
    created_at: documented(v.string(), { format: 'date-time' }),
  }),
  {
    title: 'WorkspaceResource',
    description: 'A tenant, with media and posts of its own.',
    examples: [
      {
        id: '019f5b0e-1a30-7c52-8f4e-3b6d9c0a7e15',
        name: 'Harbour hotel',
        timezone: 'Europe/Berlin',
        strip_location: null,
        created_at: '2026-11-21T18:30:00.000Z',
      },
    ],
  },
);

export const showWorkspace = (item: Workspace): v.InferInput<typeof workspace> => ({
  id: item.id,
  name: item.name,
  timezone: item.timezone,
  strip_location: item.stripLocation,
  created_at: new Date(item.createdAt).toISOString(),
});
