import type { LibraryEvent, Told, Uuid } from '@postshelf/domain';
import type { Service } from '../../service.ts';
import { showFolder } from '../folders/show.ts';
import { showMedia } from '../media/show.ts';
import { showToldPost } from '../posts/show.ts';
import { showUsage } from '../workspaces/show.ts';
import type { EventResource } from './schema.ts';

/** Returns an event as streams and webhooks show it (docs/api.md, "Events"). */
export const showEvent = (links: Links, { type, at, workspaceId, told }: LibraryEvent): EventResource => ({
  type,
  timestamp: new Date(at).toISOString(),
  workspace: workspaceId,
  data: showTold(links, told),
});

export const showReset = (workspaceId: Uuid, at: number): EventResource => ({
  type: 'reset',
  timestamp: new Date(at).toISOString(),
  workspace: workspaceId,
  data: null,
});

type Links = Pick<Service, 'mediaBase'>;

function showTold(links: Links, told: Told): EventResource['data'] {
  switch (told.kind) {
    case 'media':
      return showMedia(links, told.media);
    case 'folder':
      return showFolder(told.folder);
    case 'post':
      return showToldPost(told.post);
    case 'workspace':
      return showUsage(told.usage);
    case 'deleted':
      return { id: told.id };
  }
}
