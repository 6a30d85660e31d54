import './item-content.css';
import type { MediaItem } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { NetworkMatrix } from '../../readiness/network-matrix.tsx';
import { ReadyToPublish } from '../../readiness/ready-to-publish.tsx';
import { sentenceOf } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { useMay } from '../../workspaces/use-may.ts';
import { downloadLink } from '../download-link.ts';
import { useCopyLinks } from '../selection/use-copy-links.ts';
import { useMediaFilter } from '../use-media-filter.ts';
import { DeleteItem } from './delete-item.tsx';
import { ItemFacts } from './item-facts.tsx';
import { ItemForm } from './item-form.tsx';
import { ItemTags } from './item-tags.tsx';
import { changeItem, refreshItem, type SeenItem } from './use-item.ts';
import type { ItemEdits } from './use-item-edits.ts';

export interface ItemContentProps extends SeenItem {
  readonly edits: ItemEdits;
  /** The player of the shown video; null if the item isn't a video, or can't be played. */
  readonly player: RefObject<HTMLVideoElement | null> | null;
  onDeleted(): void;
}

/** Shows everything about an item, with all its actions. */
export function ItemContent({ item, version, edits, player, onDeleted }: ItemContentProps) {
  const showNotice = useMadeNotice();
  const mayChange = useMay('media:write');
  const isActive = item.status === 'active';
  return (
    <div className="item-content">
      {isActive && <NetworkMatrix item={item} />}
      <div className="item-actions">
        {isActive && <CopyLink item={item} />}
        {isActive && (
          <a className="button button-plain" href={downloadLink(item)} download={item.name}>
            Download
          </a>
        )}
        {mayChange && <DeleteItem item={item} onDeleted={onDeleted} />}
      </div>
      {player && mayChange && (
        <UseFrame item={item} version={version} second={() => player.current?.currentTime ?? 0} />
      )}
      <ItemFacts item={item} />
      <ItemTags item={item} version={version} />
      {mayChange && <ItemForm item={item} version={version} edits={edits} />}
      {isActive && <ReadyToPublish item={item} onMade={showNotice} />}
    </div>
  );
}

/** Shows a notice about new items that are being processed, with a link to the first item. */
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

/** Copies the file's link. */
function CopyLink({ item }: { readonly item: MediaItem }) {
  const notify = useNotify();
  const copyLinks = useCopyLinks();
  return (
    <Button onPress={() => void copyLinks([item]).catch((error: unknown) => notify({ text: sentenceOf(error) }))}>
      Copy link
    </Button>
  );
}

interface UseFrameProps extends SeenItem {
  /** Returns the player's current position in seconds. */
  second(): number;
}

/** Sets the video's cover to the frame that the player currently shows. */
function UseFrame({ second, ...seen }: UseFrameProps) {
  const notify = useNotify();
  const choosing = useMutation({
    mutationFn: (at: number) => changeItem(seen, () => ({ cover: { at } })),
    async onSuccess() {
      await refreshItem(seen.item.id);
      notify({ text: 'This frame is the cover now.' });
    },
    onError: (error) => notify({ text: sentenceOf(error) }),
  });
  return (
    <Button onPress={() => choosing.mutate(second())} isPending={choosing.isPending}>
      Use this frame as cover
    </Button>
  );
}
