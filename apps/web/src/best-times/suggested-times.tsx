import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { Loaded } from '../ui/loaded.tsx';
import { weekdayIn } from '../ui/zoned-time.ts';
import { distanceFrom100, intervalOf, type Range, rangeOf } from './scores.ts';
import type { Slots } from './use-best-times.ts';
import { formatHour } from './week.ts';

type Slot = Slots['data'][number];

/** What the evidence means for somebody who plans posts. */
const EVIDENCE: Readonly<Record<Slots['meta']['evidence'], string>> = {
  none: 'Your posts don’t show yet that some hours are better than others, so take these times as a start.',
  weak: 'There are first signs that some hours are better than others.',
  fair: 'Some hours are probably better than others.',
  strong: 'Some hours are clearly better than others.',
};

/** When to post in the next week, and how sure that is. */
export function SuggestedTimes({ query }: { readonly query: UseQueryResult<Slots, unknown> }) {
  return (
    <section className="suggested" aria-labelledby="suggested">
      <h2 id="suggested">Suggested times</h2>
      <Loaded query={query}>
        {({ data, meta }) => (
          <>
            <p className="best-times-about">
              {meta.posts === 0
                ? 'There is nothing to learn from yet, so these are times at which people are awake. A profile needs five posts that are older than three days.'
                : `${EVIDENCE[meta.evidence]} Learned from ${plural(meta.posts, 'post')} of the last year.`}
            </p>
            {data.length === 0 ? (
              <p>No free times in the next 7 days.</p>
            ) : (
              <ol aria-label="Suggested times">
                {data.map((slot) => (
                  <Card key={slot.at} slot={slot} timezone={meta.timezone} range={rangeOf(data)} />
                ))}
              </ol>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

interface CardProps {
  readonly slot: Slot;
  readonly timezone: string;
  readonly range: Range;
}

function Card({ slot, timezone, range }: CardProps) {
  const isKnown = slot.score > 0;
  return (
    <li data-kind={slot.kind} title={isKnown ? intervalOf(slot) : undefined}>
      <p>
        <b>
          {slot.day} {formatHour(slot.hour)}
        </b>
        {isKnown && `, ${distanceFrom100(slot.score)}`}
      </p>
      {isKnown && <Interval slot={slot} range={range} />}
      <small>
        <time dateTime={slot.at}>{weekdayIn(slot.at, timezone)}</time>
        {isKnown && `. ${slot.reason}`}
      </small>
    </li>
  );
}

/** The 90 % interval as a thin bar with the score on it, beside a line for the average; all cards have the same scale. */
function Interval({ slot, range }: { readonly slot: Slot; readonly range: Range }) {
  const at = (score: number): string => {
    const share = (score - range.from) / (range.to - range.from);
    return `${Math.round(1000 * Math.max(0, Math.min(1, share))) / 10}%`;
  };
  const style = {
    '--low': at(slot.low),
    '--high': at(slot.high),
    '--score': at(slot.score),
    '--average': at(100),
  } as CSSProperties;
  return (
    <div className="suggested-interval" style={style}>
      <span className="visually-hidden">{intervalOf(slot)}</span>
      <span className="suggested-average" />
    </div>
  );
}
