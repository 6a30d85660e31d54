import './item-content.css';
import type { MediaItem } from '@postshelf/client';
import { useRouter } from '@tanstack/react-router';
import { ReadyToPublish } from '../../readiness/ready-to-publish.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { useMay } from '../../workspaces/use-may.ts';
import { useMediaFilter } from '../use-media-filter.ts';
import { CopyLink } from './copy-link.tsx';
import { DeleteItem } from './delete-item.tsx';
import { ItemFacts } from './item-facts.tsx';
import { ItemForm } from './item-form.tsx';
import { ItemImage } from './item-image.tsx';
import { ItemTags } from './item-tags.tsx';
import { Player } from './player.tsx';
import type { SeenItem } from './use-item.ts';
import type { ItemEdits } from './use-item-edits.ts';

export interface ItemContentProps extends SeenItem {
  readonly edits: ItemEdits;
  onDeleted(): void;
}

/** Texts that are shown while there is no picture, by status. */
const WAITING = {
  processing: 'Processing. It’ll appear here when it’s ready.',
  temporary: 'The upload hasn’t been confirmed yet.',
} as const;
const BEING_FITTED = 'Being made from the original. It’ll appear here when it’s ready.';

export function ItemContent({ item, version, edits, onDeleted }: ItemContentProps) {
  const tellOf = useMadeNotice();
  const mayChange = useMay('media:write');
  const isActive = item.status === 'active';
  return (
    <div className="item-content">
      {isActive && (item.time === null ? <ItemImage item={item} /> : <Player item={item} version={version} />)}
      {(item.status === 'processing' || item.status === 'temporary') && (
        <p className="item-state" role="status" data-status={item.status}>
          {item.details?.source ? BEING_FITTED : WAITING[item.status]}
        </p>
      )}
      {item.status === 'failed' && (
        <p className="item-state" data-status="failed" role="alert">
          <strong>Failed</strong>
          {item.error_message}
        </p>
      )}
      <div className="item-actions">
        {isActive && <CopyLink item={item} />}
        {isActive && (
          <a className="button button-plain" href={item.link} download={item.name} target="_blank" rel="noreferrer">
            Download
          </a>
        )}
        {mayChange && <DeleteItem item={item} onDeleted={onDeleted} />}
      </div>
      <ItemFacts item={item} />
      <ItemTags item={item} version={version} />
      {mayChange && <ItemForm item={item} version={version} edits={edits} />}
      {isActive && <ReadyToPublish item={item} onMade={tellOf} />}
    </div>
  );
}

/** Shows a notice about a new item that is being processed, with a link to it. */
function useMadeNotice(): (made: MediaItem) => void {
  const notify = useNotify();
  const router = useRouter();
  const { open } = useMediaFilter();
  return ({ id, name }) => {
    const { publicHref } = router.buildLocation({ to: '/media/$item', params: { item: id }, search: true });
    const link = { label: 'Show it', href: router.history.createHref(publicHref), follow: () => open(id) };
    notify({ text: `${name} is being made.`, link });
  };
}
