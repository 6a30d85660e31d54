import { formatDuration, secondsOf } from '@postshelf/browser/media/media-facts.ts';
import { formatBytes } from '@postshelf/browser/ui/format-bytes.ts';
import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFolderPath } from '../../folders/use-folders.ts';
import { trpc } from '../../service/service.ts';
import { dateFieldOf, dayIn, timeIn } from '../../ui/zoned-time.ts';
import { useMay } from '../../workspaces/use-may.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';

/**
 * Shows an item's read-only properties. For users who aren't allowed to edit the item, these include the properties
 * that others see in the form.
 */
export function ItemFacts({ item }: { readonly item: MediaItem }) {
  const { id: workspace, timezone } = useWorkspace();
  const hasForm = useMay('media:write');
  const path = useFolderPath(item.folder_id);
  const { size, width, height, folder_id, details, usage } = item;
  const seconds = secondsOf(item);
  const added = details && momentIn(details.created_at, timezone);
  const updated = details && momentIn(details.updated_at, timezone);
  return (
    <dl className="item-facts">
      {!hasForm && item.label && <Fact name="Label">{item.label}</Fact>}
      {!hasForm && details?.alt_text && <Fact name="Alt text">{details.alt_text}</Fact>}
      {size !== null && <Fact name="Size">{formatBytes(size)}</Fact>}
      {width !== null && height !== null && (
        <Fact name="Dimensions">
          {width} × {height}
        </Fact>
      )}
      {seconds !== null && <Fact name="Duration">{formatDuration(seconds)}</Fact>}
      {details?.mime && <Fact name="Type">{formatOf(item)}</Fact>}
      <Fact name="Folder">
        {folder_id === null ? (
          <Link to="/" search={{ workspace }}>
            All media
          </Link>
        ) : (
          <Link to="/folders/$folder" params={{ folder: folder_id }} search={{ workspace }}>
            {path?.map(({ name }) => name).join(' / ') ?? '…'}
          </Link>
        )}
      </Fact>
      {added && (
        <Fact name="Added">
          <time dateTime={details.created_at}>{added}</time>
          {details.created_by && <UploadedBy {...details.created_by} />}
        </Fact>
      )}
      {updated && updated !== added && (
        <Fact name="Updated">
          <time dateTime={details.updated_at}>{updated}</time>
        </Fact>
      )}
      {usage && (
        <Fact name="Used in">{usage.posts === 0 ? 'No posts' : <ItemUses id={item.id} count={usage.posts} />}</Fact>
      )}
      {details?.source && (
        <Fact name="Made from">
          <Link to="/media/$item" params={{ item: details.source }} search={{ workspace }}>
            Its original
          </Link>
        </Fact>
      )}
    </dl>
  );
}

const momentIn = (instant: string, zone: string): string => `${dayIn(instant, zone)}, ${timeIn(instant, zone)}`;

const UploadedBy = ({ kind, name }: NonNullable<NonNullable<MediaItem['details']>['created_by']>) => (
  <span className="item-uploader">
    Uploaded by {name}
    {kind === 'token' && ' (access token)'}
  </span>
);

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Describes the file's format: "MP4, H.264, 30 frames a second". */
function formatOf({ details }: MediaItem): string {
  const type = details?.mime?.replace(/^.*\//, '') ?? '';
  const { video, image } = details ?? {};
  const words = [TYPES[type] ?? type.toUpperCase()];
  if (video?.codec) words.push(CODECS[video.codec] ?? video.codec.toUpperCase());
  if (video?.frame_rate) words.push(`${Number(video.frame_rate.toFixed(2))} frames a second`);
  if (video && video.audio === null) words.push('no sound');
  if (image?.frames && image.frames > 1) words.push(`${image.frames} frames`);
  return words.join(', ');
}

const TYPES: Readonly<Record<string, string>> = { quicktime: 'QuickTime', webp: 'WebP' };
const CODECS: Readonly<Record<string, string>> = { avc: 'H.264', hevc: 'H.265' };

/** Maximum number of posts that are listed here. A link leads to all posts that use the item. */
const SHOWN = 3;

/** Shows how many posts use an item, and the newest of these posts, each with a link to the posts of its day. */
function ItemUses({ id, count }: { readonly id: string; readonly count: number }) {
  const { id: workspace, timezone } = useWorkspace();
  const { data } = useQuery(trpc.posts.list.queryOptions({ workspace, media_content_id: id, per_page: SHOWN }));
  // A token without access to posts gets an empty list. The number of posts is shown anyway.
  const posts = data?.data ?? [];
  return (
    <>
      <Link to="/posts" search={{ workspace, media: id }}>
        {plural(count, 'post')}
      </Link>
      {posts.length > 0 && (
        <ul className="item-uses" aria-label="Used in">
          {posts.map(({ id: post, published_at, text }) => {
            const day = dateFieldOf(published_at, timezone);
            return (
              <li key={post}>
                <Link to="/posts" search={{ workspace, media: id, from: day, to: day }}>
                  {dayIn(published_at, timezone)}
                </Link>{' '}
                {text}
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
