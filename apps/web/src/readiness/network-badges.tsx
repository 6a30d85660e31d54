import './states.css';
import './network-badges.css';
import type { MediaItem } from '@postshelf/client';
import { createContext, memo, use, useDeferredValue } from 'react';
import { NetworkIcon } from '../networks/network-icon.tsx';
import type { JudgeItem } from './use-verdicts.ts';
import type { NetworkVerdict } from './verdicts.ts';

/**
 * The function that judges the items of a list, which all of the list's tiles share; null while no networks are known.
 */
export const VerdictsContext = createContext<JudgeItem | null>(null);

/** Maximum number of icons on a tile; the others are only counted. */
const SHOWN = 6;

/**
 * Shows for each of the workspace's networks whether the item is ready to be published there. The badges are rendered
 * at low priority, so that the list scrolls as smoothly as without badges.
 */
export function NetworkBadges({ item }: { readonly item: MediaItem }) {
  const judge = useDeferredValue(use(VerdictsContext), null);
  return judge && <Badges verdicts={judge(item)} />;
}

const Badges = memo(({ verdicts }: { readonly verdicts: readonly NetworkVerdict[] }) => {
  if (verdicts.length === 0) return null;
  const shown = verdicts.length > SHOWN ? verdicts.slice(0, SHOWN - 1) : verdicts;
  const rest = verdicts.slice(shown.length);
  const all = verdicts.flatMap(({ targets }) => targets.map(({ name }) => name));
  return (
    <div className="network-badges" title={all.join('\n')}>
      {shown.map(({ network, main }) => (
        <NetworkIcon key={network} network={network} size={13} label={main.name} state={main.state} />
      ))}
      {rest.length > 0 && (
        <span role="img" aria-label={rest.map(({ main }) => main.name).join(', ')}>
          +{rest.length}
        </span>
      )}
    </div>
  );
});
