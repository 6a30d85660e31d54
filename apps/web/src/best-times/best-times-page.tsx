import './best-times.css';
import { plural } from '@postshelf/browser/ui/format-number.ts';
import { Calendars } from '../calendars/calendars.tsx';
import { NoPosts } from '../posts/no-posts.tsx';
import { isFilterRefused, PostFilters } from '../posts/post-filters.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { Select } from '../ui/select.tsx';
import { dateFieldOf, dayIn } from '../ui/zoned-time.ts';
import { Heatmap } from './heatmap.tsx';
import { SuggestedTimes } from './suggested-times.tsx';
import { useBestTimes } from './use-best-times.ts';
import { type BestTimes, formatHour } from './week.ts';

const METHODS = [
  { value: 'hourly', label: 'Exact hour' },
  { value: 'smoothed', label: 'Smoothed with neighbouring hours' },
] as const;

/** Heatmap of how well posts did by hour of the week, for a workspace or one of its profiles. */
export function BestTimesPage() {
  const { query, search, errors, filter, estimateBy } = useBestTimes();
  const { data } = query;
  const shown = data && {
    from: dateFieldOf(data.meta.from, data.meta.timezone),
    to: dateFieldOf(data.meta.to, data.meta.timezone),
  };
  const controls = (
    <PostFilters everyProfile="Whole workspace" search={search} shown={shown} errors={errors} onChange={filter}>
      <Select label="Method" value={search.method ?? 'hourly'} options={METHODS} onChange={estimateBy} />
    </PostFilters>
  );
  return (
    <Page title="Best times" controls={controls}>
      {isFilterRefused(errors) ? null : (
        <>
          <Loaded query={query}>
            {(bestTimes) => <Found bestTimes={bestTimes} hasProfile={search.profile !== undefined} />}
          </Loaded>
          <SuggestedTimes profile={search.profile} />
          <Calendars profile={search.profile} />
        </>
      )}
    </Page>
  );
}

interface FoundProps {
  readonly bestTimes: BestTimes;
  readonly hasProfile: boolean;
}

function Found({ bestTimes, hasProfile }: FoundProps) {
  const { posts, timezone, from, to, best } = bestTimes.meta;
  const window = `${dayIn(from, timezone)} to ${dayIn(to, timezone)}`;
  if (posts === 0) {
    return <NoPosts where={`${hasProfile ? ' of this profile' : ''} from ${window}`} isFiltered />;
  }
  return (
    <div className="best-times">
      <p className="best-times-about">
        How {plural(posts, 'post')} did by the hour they were published, {window} ({timezone}). 100 is{' '}
        {hasProfile ? 'the profile’s' : 'each profile’s'} average, 144 means 44% above it. Hours with few posts stay
        close to 100.
      </p>
      {best.length === 0 ? (
        <p>No hour with at least three posts did better than average.</p>
      ) : (
        <section className="best-times-best" aria-labelledby="best">
          <h2 id="best">Best</h2>
          <ol className="best-times-best" aria-label="Best">
            {best.map(({ day, hour, value, posts: count }) => (
              <li key={`${day} ${hour}`}>
                <b>
                  {day} {formatHour(hour)}
                </b>
                <span className="best-times-value">{Math.round(value)}</span>
                <small>{plural(count, 'post')}</small>
              </li>
            ))}
          </ol>
        </section>
      )}
      <Heatmap bestTimes={bestTimes} />
    </div>
  );
}
