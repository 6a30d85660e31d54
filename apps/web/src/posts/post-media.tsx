import { placeholderOf } from '@postshelf/browser/media/media-facts.ts';
import type { MediaItem } from '@postshelf/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { trpc } from '../service/service.ts';
import { signed } from '../service/signed.ts';
import { PlayIcon } from '../ui/icons.tsx';

/** Number of a post's media that are shown; the others are only counted. */
const SHOWN = 3;

/** Thumbnails of a post's media, each a link to its item. */
export function PostMedia({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return <span className="post-no-text">No media</span>;
  const rest = ids.length - SHOWN;
  return (
    <ul className="post-media">
      {ids.slice(0, SHOWN).map((id) => (
        <li key={id}>
          <PostMediaItem id={id} />
        </li>
      ))}
      {rest > 0 && (
        <li className="post-media-rest">
          <span aria-hidden="true">+{rest}</span>
          <span className="visually-hidden">and {rest} more</span>
        </li>
      )}
    </ul>
  );
}

/**
 * A thumbnail that reads its own item. Simultaneous reads share a request, and an item in several posts is read only
 * once.
 */
function PostMediaItem({ id }: { readonly id: string }) {
  const { workspace } = useSearch({ from: '/posts' });
  const item = usePostItem(id);
  return (
    <Link
      to="/media/$item"
      params={{ item: id }}
      search={workspace === undefined ? {} : { workspace }}
      aria-label={item?.name ?? 'Media item'}
      title={item?.name}
    >
      <PostThumbnail item={item} />
    </Link>
  );
}

export const usePostItem = (id: string): MediaItem | undefined =>
  useQuery(signed(trpc.media.get.queryOptions({ id, include: 'details' }, { staleTime: 60_000 }))).data?.data;

export function PostThumbnail({ item }: { readonly item: MediaItem | undefined }) {
  const preview = item?.details?.previews[0];
  const isTransparent = item?.details?.image?.has_alpha ?? false;
  const placeholder = item && placeholderOf(item);
  return (
    <span
      className="post-media-item"
      data-transparent={isTransparent || undefined}
      style={placeholder ? { backgroundImage: `url(${JSON.stringify(placeholder)})` } : undefined}
    >
      {preview && <img src={preview.link} alt="" loading="lazy" decoding="async" width={44} height={44} />}
      {item?.time != null && <PlayIcon />}
    </span>
  );
}
