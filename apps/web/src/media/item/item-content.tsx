import './item-content.css';
import type { MediaItem } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { NetworkMatrix } from '../../readiness/network-matrix.tsx';
import { ReadyToPublish } from '../../readiness/ready-to-publish.tsx';
import { client, sentenceOf } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { useNotify } from '../../ui/notices.tsx';
import { useMay } from '../../workspaces/use-may.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { downloadLink } from '../download-link.ts';
import { SIGNED_DAYS } from '../selection/use-copy-links.ts';
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
  readonly film: RefObject<HTMLVideoElement | null> | null;
  onDeleted(): void;
}

/** Shows everything about an item, with all its actions. */
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
          <a className="button button-plain" href={downloadLink(item)} download={item.name}>
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

/**
 * Copies the file's link, which needs no token. In workspaces with signed links, it is a signed link that is valid for
 * a week.
 */
function CopyLink({ item: { id, link } }: { readonly item: MediaItem }) {
  const notify = useNotify();
  const isSigned = useWorkspace().links === 'signed';
  const copy = async (): Promise<void> => {
    const copied = isSigned ? await signedLink(id) : link;
    const text = isSigned ? `Link copied. It works for ${SIGNED_DAYS} days.` : 'Link copied.';
    notify((await copyText(copied)) ? { text } : { text: `Copy it from here: ${copied}` });
  };
  return (
    <Button onPress={() => void copy().catch((error: unknown) => notify({ text: sentenceOf(error) }))}>
      Copy link
    </Button>
  );
}

async function signedLink(id: string): Promise<string> {
  const expires_in = SIGNED_DAYS * 24 * 60 * 60;
  return (await client.trpc.links.create.mutate({ id, expires_in }, { idempotencyKey: null })).data.link;
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
