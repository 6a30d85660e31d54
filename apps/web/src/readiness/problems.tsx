import type { MediaItem } from '@postshelf/client';
import { countOf } from '../ui/formats.ts';
import type { Readiness } from './ready-to-publish.tsx';

/** What a target finds wrong with an item, and what helps. */
export function Problems({ found: { problems, verdict } }: { readonly item: MediaItem; readonly found: Readiness }) {
  if (problems.length === 0) return null;
  return (
    <details open={verdict === 'not_ready'}>
      <summary>{countOf(problems.length, verdict === 'not_ready' ? 'problem' : 'hint')}</summary>
      <ul>
        {problems.map(({ rule, severity, message, remedy }) => (
          <li key={rule} data-severity={severity}>
            {message} <span>{remedy}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
