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

/** Two letters in a frame, because LinkedIn doesn't allow others to distribute its logo. */
const LINKEDIN =
  'M5 1h14a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4H5a4 4 0 0 1-4-4V5a4 4 0 0 1 4-4zM5 3a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2V5a2 2 0 0 0-2-2zM7 6.5h2.2v8.9H14v2.1H7zM15.4 10h2.1v7.5h-2.1zM15.4 6.5h2.1v2h-2.1z';

/** Icon paths on a 24 × 24 grid, by network. */
const PATHS: Readonly<Record<string, string>> = {
  bluesky: siBluesky.path,
  facebook: siFacebook.path,
  google_business: siGoogle.path,
  instagram: siInstagram.path,
  linkedin: LINKEDIN,
  mastodon: siMastodon.path,
  pinterest: siPinterest.path,
  threads: siThreads.path,
  tiktok: siTiktok.path,
  x: siX.path,
  youtube: siYoutube.path,
};

export interface NetworkIconProps {
  /** The network's name as in a profile ("Instagram", "IG") or in targets (`google_business`). */
  readonly network: string;
  /** Width and height in CSS pixels. Default: 16. */
  readonly size?: number;
  /**
   * The label for screen readers. Without a label, the icon is hidden from screen readers, and the text next to it
   * names the network.
   */
  readonly label?: string;
  /** A state by which style sheets can change the icon. */
  readonly state?: string;
}

/** A network's icon in the text's colour, or the first letters of a network without an icon. */
export function NetworkIcon({ network, size = 16, label, state }: NetworkIconProps) {
  const path = PATHS[networkOf(network) ?? ''];
  const said = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  const props = { ...said, 'data-state': state };
  // The style sheet shows the letters, so that they aren't part of any text.
  if (path === undefined) {
    return <span {...props} className="network-letters" style={{ fontSize: size }} data-letters={lettersOf(network)} />;
  }
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label, or is hidden
    <svg {...props} className="network-icon" viewBox="0 0 24 24" width={size} height={size} fill="currentColor">
      <path d={path} />
      {state === 'not_ready' && <circle cx="21" cy="21" r="6" />}
    </svg>
  );
}

/** Returns the first letters of a name: "Us" for `usenet`, "?" if it has no letters. */
function lettersOf(name: string): string {
  const [first = '?', second = ''] = name.match(/[\p{L}\p{N}]/gu) ?? [];
  return first.toUpperCase() + second.toLowerCase();
}
