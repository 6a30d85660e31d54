import './network-icon.css';
import { networkOf } from '@postshelf/domain/readiness/network';
import {
  siBluesky,
  siFacebook,
  siGoogle,
  siInstagram,
  siMastodon,
  siPinterest,
  siThreads,
  siTiktok,
  siX,
  siYoutube,
} from 'simple-icons';

/** On a grid of 24 × 24. */
const PATHS: Readonly<Record<string, string>> = {
  bluesky: siBluesky.path,
  facebook: siFacebook.path,
  google_business: siGoogle.path,
  instagram: siInstagram.path,
  mastodon: siMastodon.path,
  pinterest: siPinterest.path,
  threads: siThreads.path,
  tiktok: siTiktok.path,
  x: siX.path,
  youtube: siYoutube.path,
};

export interface NetworkIconProps {
  /** As a profile names it ("Instagram", "IG"), or as targets do (`google_business`). */
  readonly network: string;
  /** Of its sides, in CSS pixels. Default 16. */
  readonly size?: number;
}

/**
 * A network's icon in the text's colour; the first letters of its name where there is none, as for LinkedIn, which
 * doesn't let others hand out its logo. Hidden from screen readers, so that what it stands beside has to name it.
 */
export function NetworkIcon({ network, size = 16 }: NetworkIconProps) {
  const path = PATHS[networkOf(network) ?? ''];
  // Letters by the style sheet, so that they are no part of any text.
  if (path === undefined) {
    return (
      <span
        className="network-letters"
        style={{ fontSize: size }}
        data-letters={lettersOf(network)}
        aria-hidden="true"
      />
    );
  }
  return (
    <svg className="network-icon" viewBox="0 0 24 24" width={size} height={size} fill="currentColor" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** "Li" for `linkedin`, "?" for a name without letters. */
function lettersOf(name: string): string {
  const [first = '?', second = ''] = name.match(/[\p{L}\p{N}]/gu) ?? [];
  return first.toUpperCase() + second.toLowerCase();
}
