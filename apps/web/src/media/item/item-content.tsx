import './item-content.css';
import type { MediaItem } from '@postshelf/client';
import { useRouter } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { NetworkMatrix } from '../../readiness/network-matrix.tsx';
import { ReadyToPublish } from '../../readiness/ready-to-publish.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { useMay } from '../../workspaces/use-may.ts';
import { useMediaFilter } from '../use-media-filter.ts';
import { CopyLink } from './copy-link.tsx';
import { DeleteItem } from './delete-item.tsx';
import { ItemFacts } from './item-facts.tsx';
import { ItemForm } from './item-form.tsx';
import { ItemTags } from './item-tags.tsx';
import { UseFrame } from './use-frame.tsx';
import type { SeenItem } from './use-item.ts';
import type { ItemEdits } from './use-item-edits.ts';

export interface ItemContentProps extends SeenItem {
  readonly edits: ItemEdits;
  /** The player of the shown video; null if the item isn't a video, or can't be played. */
  readonly film: RefObject<HTMLVideoElement | null> | null;
  onDeleted(): void;
}

/** Everything about an item, with all its actions. */
export function ItemContent({ item, version, edits, film, onDeleted }: ItemContentProps) {
  const showNotice = useMadeNotice();
  const mayChange = useMay('media:write');
  const isActive = item.status === 'active';
  return (
    <div className="item-content">
      {isActive && <NetworkMatrix item={item} />}
      <div className="item-actions">
        {isActive && <CopyLink item={item} />}
        {isActive && (
          <a className="button button-plain" href={item.link} download={item.name} target="_blank" rel="noreferrer">
            Download
          </a>
        )}
        {mayChange && <DeleteItem item={item} onDeleted={onDeleted} />}
      </div>
      {film && mayChange && <UseFrame item={item} version={version} second={() => film.current?.currentTime ?? 0} />}
      <ItemFacts item={item} />
      <ItemTags item={item} version={version} />
      {mayChange && <ItemForm item={item} version={version} edits={edits} />}
      {isActive && <ReadyToPublish item={item} onMade={showNotice} />}
    </div>
  );
}

/** Shows a notice about new items that are being processed, with a link to the first. */
function useMadeNotice(): (made: readonly MediaItem[]) => void {
  const notify = useNotify();
  const router = useRouter();
  const { open } = useMediaFilter();
  return ([first, ...others]) => {
    if (!first) return;
    const { id, name } = first;
    const { publicHref } = router.buildLocation({ to: '/media/$item', params: { item: id }, search: true });
    const link = { label: 'Show it', href: router.history.createHref(publicHref), follow: () => open(id) };
    const text = others.length === 0 ? `${name} is being made.` : `${others.length + 1} copies are being made.`;
    notify({ text, link });
  };
}
