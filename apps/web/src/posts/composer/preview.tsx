import { previewOf } from '@postshelf/browser/media/media-facts.ts';
import type { MediaItem } from '@postshelf/client';
import { NetworkIcon } from '../../networks/network-icon.tsx';
import type { Profile } from '../../networks/profiles.ts';
import { profileNetwork } from '../../readiness/target-name.ts';
import { PlayIcon } from '../../ui/icons.tsx';
import { timeIn, weekdayIn } from '../../ui/zoned-time.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { usePostItem } from '../post-media.tsx';

/** Width of the preview in pixels. */
const WIDTH = 320;

/**
 * The narrowest and the widest aspect ratio that networks accept: 4:5 and 1.91:1. Other images are cropped to the
 * nearer one.
 */
const UPRIGHT = 0.8;
const WIDE = 1.91;

/** Props of a group of media that can be scrolled, with the keyboard as well. */
const SEVERAL = { 'data-several': true, role: 'group', 'aria-label': 'All media of the post', tabIndex: 0 } as const;

interface PreviewProps {
  readonly profile: Profile | undefined;
  readonly text: string;
  readonly media: readonly string[];
  /** The time of publication; null if no time was entered. */
  readonly at: string | null;
}

/** A preview of the post. It is approximate, because each network shows posts differently. */
export function Preview({ profile, text, media, at }: PreviewProps) {
  const { timezone } = useWorkspace();
  return (
    <section className="preview" aria-label="Preview">
      <header>
        <span className="preview-face" aria-hidden="true">
          {profile ? <NetworkIcon network={profile.network} size={18} /> : '?'}
        </span>
        <span>
          <b>{profile?.name ?? 'No profile yet'}</b>
          <small>
            {[profile && profileNetwork(profile.network), at && `${weekdayIn(at, timezone)}, ${timeIn(at, timezone)}`]
              .filter(Boolean)
              .join(' · ')}
          </small>
        </span>
      </header>
      {media.length > 0 && (
        <div className="preview-media" {...(media.length > 1 && SEVERAL)}>
          {media.map((id) => (
            <PreviewItem key={id} id={id} />
          ))}
        </div>
      )}
      <p className="preview-text" data-empty={text === '' || undefined}>
        {text || 'Your text appears here.'}
      </p>
    </section>
  );
}

function PreviewItem({ id }: { readonly id: string }) {
  const item = usePostItem(id);
  const link = item ? previewOf(item, WIDTH, devicePixelRatio) : null;
  return (
    <span
      className="preview-item"
      data-transparent={item?.details?.image?.has_alpha || undefined}
      style={{ aspectRatio: item ? shapeOf(item) : 1 }}
    >
      {link !== null && <img src={link} alt={item?.details?.alt_text ?? ''} />}
      {item?.time != null && <PlayIcon />}
    </span>
  );
}

function shapeOf({ width, height }: MediaItem): number {
  return width && height ? Math.min(WIDE, Math.max(UPRIGHT, width / height)) : 1;
}
