import './states.css';
import './network-matrix.css';
import type { MediaItem } from '@postshelf/client';
import { NetworkIcon } from '../networks/network-icon.tsx';
import { networkName, placeName } from './target-name.ts';
import { useVerdicts } from './use-verdicts.ts';
import type { TargetVerdict } from './verdicts.ts';

/** Shows at a glance where an item can be published: one row per network, with the network's targets. */
export function NetworkMatrix({ item }: { readonly item: MediaItem }) {
  const verdicts = useVerdicts('all')?.(item) ?? [];
  if (verdicts.length === 0) return null;
  return (
    <section className="matrix" aria-labelledby="matrix">
      <h3 id="matrix">Networks</h3>
      <ul aria-labelledby="matrix">
        {verdicts.map(({ network, targets }) => (
          <li key={network}>
            <NetworkIcon network={network} size={15} />
            <span>{networkName(network)}</span>
            <span className="matrix-places">
              {targets.map((verdict) => (
                <Place key={verdict.target} verdict={verdict} />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Place({ verdict: { target, name, words, state, errors, sentences } }: { readonly verdict: TargetVerdict }) {
  const place = placeName(target);
  return (
    <span
      role="img"
      className="matrix-place"
      aria-label={name}
      title={[name, ...sentences].join('\n')}
      data-state={state}
    >
      {place ?? words}
      {place !== null && state === 'not_ready' && ` ${errors}`}
    </span>
  );
}
