import './states.css';
import './network-badges.css';
import type { MediaItem } from '@postshelf/client';
import { createContext, memo, use, useDeferredValue } from 'react';
import { NetworkIcon } from '../networks/network-icon.tsx';
import type { JudgeItem } from './use-verdicts.ts';
import type { NetworkVerdict } from './verdicts.ts';

/** What judges the items of a list; null: nothing does. One for all tiles, as there are hundreds. */
export const VerdictsContext = createContext<JudgeItem | null>(null);

/** Most icons on a tile; the rest is counted. */
const SHOWN = 6;

/**
 * For each network of the workspace, whether the item is ready to be published there. Drawn when there is time, so that
 * the list scrolls as it does without them.
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
