import './readiness.css';
import type { MediaItem, Operations } from '@postshelf/client';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { FitButton } from '../fit/fit-button.tsx';
import { LIVE, sentenceOf, trpc } from '../service/service.ts';
import { Problems } from './problems.tsx';
import { targetName } from './target-name.ts';

export type Readiness = Operations['readiness']['item']['output']['data'][number];

const VERDICTS = { ready: 'Ready', warning: 'Ready, with advice', not_ready: 'Not ready' } as const;

/** Whether networks would take the item, target by target: what it lacks for each, and what helps. */
export function ReadyToPublish({ item }: { readonly item: MediaItem }) {
  // A file never changes; what is known of it does until it has been looked at.
  const isKnown = Boolean(item.details?.image ?? item.details?.video);
  const { data, error } = useQuery({
    ...trpc.readiness.item.queryOptions({ id: item.id }),
    ...(isKnown ? { staleTime: 60_000 } : LIVE),
  });
  return (
    <section className="readiness" aria-labelledby="readiness">
      <h3 id="readiness">Ready to publish</h3>
      {error && <p role="alert">{sentenceOf(error)}</p>}
      {!data && !error && <p aria-busy="true">Checking…</p>}
      {data && (
        <table aria-labelledby="readiness">
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Target</th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {data.data.map((found) => (
              <Row key={found.target} item={item} found={found} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ item, found }: { readonly item: MediaItem; readonly found: Readiness }) {
  const id = useId();
  const name = targetName(found.target);
  return (
    <tr data-verdict={found.verdict}>
      <th scope="row" id={id}>
        {name}
      </th>
      <td>
        <span className="readiness-verdict">{VERDICTS[found.verdict]}</span>
        <Problems found={found} />
        <FitButton item={item} found={found} name={name} nameId={id} />
      </td>
    </tr>
  );
}
