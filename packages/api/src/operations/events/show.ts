import type { EventContent, LibraryEvent, Uuid } from '@postshelf/domain';
import type { Service } from '../../service.ts';
import { showTime } from '../fields/values.ts';
import { showFolder } from '../folders/schema.ts';
import { showMedia } from '../media/show.ts';
import { showEventPost } from '../posts/schema.ts';
import { showUsage } from '../workspaces/schema.ts';
import type { EventResource } from './schema.ts';

/** Returns an event in the form that streams and webhooks show (docs/api.md, "Events"). */
export const showEvent = (links: Links, { type, at, workspaceId, content }: LibraryEvent): EventResource => ({
  type,
  timestamp: showTime(at),
  workspace: workspaceId,
  data: showContent(links, content),
});

export const showReset = (workspaceId: Uuid, at: number): EventResource => ({
  type: 'reset',
  timestamp: showTime(at),
  workspace: workspaceId,
  data: null,
});

type Links = Pick<Service, 'mediaBase'>;

function showContent(links: Links, content: EventContent): EventResource['data'] {
  switch (content.kind) {
    case 'media':
      return showMedia(links, content.media);
    case 'folder':
      return showFolder(content.folder);
    case 'post':
      return showEventPost(content.post);
    case 'workspace':
      return showUsage(content.usage);
    case 'deleted':
      return { id: content.id };
  }
}
