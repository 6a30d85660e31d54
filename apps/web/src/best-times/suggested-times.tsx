import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { Operations } from '@postshelf/client';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../service/service.ts';
import { Loaded } from '../ui/loaded.tsx';
import { timeIn, weekdayIn } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

type Slots = Operations['analytics']['slots']['output'];

const EVIDENCE: Readonly<Record<Slots['meta']['evidence'], string>> = {
  none: 'No evidence yet that the hour matters',
  weak: 'Weak evidence that the hour matters',
  fair: 'Fair evidence that the hour matters',
  strong: 'Strong evidence that the hour matters',
};

/** When to post in the next week, of the workspace or a profile, and how sure that is. */
export function SuggestedTimes({ profile }: { readonly profile: string | undefined }) {
  const { id: workspace } = useWorkspace();
  const query = useQuery(trpc.analytics.slots.queryOptions(profile === undefined ? { workspace } : { profile }));
  return (
    <section className="best-times-best" aria-labelledby="suggested">
      <h2 id="suggested">Suggested times</h2>
      <Loaded query={query}>
        {({ data, meta }) => (
          <>
            <p className="best-times-about">
              {EVIDENCE[meta.evidence]} ({plural(meta.posts, 'post')} from the last year). 144 means 44% above average.
              Hours with few posts stay close to 100.
            </p>
            {data.length === 0 ? (
              <p>No free times in the next 7 days.</p>
            ) : (
              <ol aria-label="Suggested times" className="best-times-suggested">
                {data.map((slot) => (
                  <li key={slot.at}>
                    <b>
                      {weekdayIn(slot.at, meta.timezone)} {timeIn(slot.at, meta.timezone)}
                    </b>
                    <span className="best-times-value">{Math.round(slot.score)}</span>
                    <small>
                      {slot.reason} 90% interval: {Math.round(slot.low)} to {Math.round(slot.high)}.
                    </small>
                  </li>
                ))}
              </ol>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
