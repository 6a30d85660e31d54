import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { LazyPostDialog } from '../posts/lazy-post-dialog.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { weekdayIn } from '../ui/zoned-time.ts';
import { useMay } from '../workspaces/use-may.ts';
import { distanceFrom100, intervalOf } from './scores.ts';
import type { Slots } from './use-best-times.ts';
import { formatHour, shadeOf } from './week.ts';

type Slot = Slots['data'][number];

/** What the page says about each strength of the evidence. */
const EVIDENCE: Readonly<Record<Slots['meta']['evidence'], string>> = {
  none: 'Your posts don’t show yet that some hours are better than others, so treat these times as a starting point.',
  weak: 'There are first signs that some hours are better than others.',
  fair: 'Some hours are probably better than others.',
  strong: 'Some hours are clearly better than others.',
};

export interface SuggestedTimesProps {
  readonly query: UseQueryResult<Slots, unknown>;
  /** The profile that is initially chosen for posts that are planned here. */
  readonly profile: string | undefined;
}

/** Suggests when to post in the next week, and says how certain the suggestions are. */
export function SuggestedTimes({ query, profile }: SuggestedTimesProps) {
  const mayPlan = useMay('analytics:write');
  const [planned, setPlanned] = useState<string | null>(null);
  return (
    <section className="suggested" aria-labelledby="suggested">
      <h2 id="suggested">Suggested times</h2>
      <Loaded query={query}>
        {({ data, meta }) => (
          <>
            <p className="best-times-about">
              {meta.posts === 0
                ? 'There is nothing to learn from yet, so these are times when people are usually awake. A profile needs five posts that are older than three days.'
                : `${EVIDENCE[meta.evidence]} Learned from ${plural(meta.posts, 'post')} of the last year.`}
            </p>
            {data.length === 0 ? (
              <p>No free times in the next 7 days.</p>
            ) : (
              <ol aria-label="Suggested times">
                {data.map((slot) => (
                  <Card key={slot.at} slot={slot} timezone={meta.timezone} onPlan={mayPlan ? setPlanned : null} />
                ))}
              </ol>
            )}
          </>
        )}
      </Loaded>
      {planned !== null && (
        <LazyPostDialog id={null} profile={profile} publishedAt={planned} onClose={() => setPlanned(null)} />
      )}
    </section>
  );
}

interface CardProps {
  readonly slot: Slot;
  readonly timezone: string;
  /** null if the session isn't allowed to plan posts. */
  readonly onPlan: ((at: string) => void) | null;
}

/** A suggested time, in the heatmap's colour for the same score. */
function Card({ slot, timezone, onPlan }: CardProps) {
  const id = useId();
  const { score, at, day, hour, kind, posts } = slot;
  const isKnown = score > 0;
  return (
    <li data-kind={kind} title={isKnown ? intervalOf(slot) : undefined}>
      {isKnown && (
        <span
          className="heatmap-cell suggested-score"
          data-side={score < 100 ? 'below' : 'above'}
          style={shadeOf(score)}
          aria-hidden="true"
        >
          {Math.round(score)}
        </span>
      )}
      <div>
        <p id={id}>
          <b>
            {day} {formatHour(hour)}
          </b>
          {isKnown && (
            <>
              <span className="visually-hidden">, </span>
              <span className="suggested-distance">{distanceFrom100(score)}</span>
            </>
          )}
        </p>
        <small>
          <time dateTime={at}>{weekdayIn(at, timezone)}</time>
          {isKnown && `, ${plural(posts, 'post')} so far`}
          {isKnown && <span className="visually-hidden">. {intervalOf(slot)}</span>}
        </small>
      </div>
      {onPlan && (
        <Button variant="quiet" aria-describedby={id} onPress={() => onPlan(at)}>
          Plan a post
        </Button>
      )}
    </li>
  );
}
