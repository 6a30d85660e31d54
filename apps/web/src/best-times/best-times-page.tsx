import './best-times.css';
import { plural } from '@postshelf/browser/ui/format-number.ts';
import { Calendars } from '../calendars/calendars.tsx';
import { NoPosts } from '../posts/no-posts.tsx';
import { isFilterRefused, PostFilters } from '../posts/post-filters.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { dateFieldOf, dayIn } from '../ui/zoned-time.ts';
import { Heatmap } from './heatmap.tsx';
import { SuggestedTimes } from './suggested-times.tsx';
import { useBestTimes } from './use-best-times.ts';
import type { BestTimes } from './week.ts';

/** Shows when to post next, and how well posts perform by hour of the week, for a workspace or one of its profiles. */
export function BestTimesPage() {
  const { slots, heatmap, search, isLearned, errors, filter } = useBestTimes();
  const { data } = heatmap;
  const shown = data && {
    from: dateFieldOf(data.meta.from, data.meta.timezone),
    to: dateFieldOf(data.meta.to, data.meta.timezone),
  };
  return (
    <Page
      title="Best times"
      controls={
        <PostFilters everyProfile="Whole workspace" search={search} shown={shown} errors={errors} onChange={filter} />
      }
    >
      {isFilterRefused(errors) ? null : (
        <>
          <SuggestedTimes query={slots} profile={search.profile} />
          {/* Without chosen dates, the heatmap covers the time window of the suggestions, so it isn't shown if
              they fail. */}
          {isLearned && slots.error ? null : (
            <Loaded query={heatmap}>
              {(bestTimes) => <Found bestTimes={bestTimes} isLearned={isLearned} hasProfile={!!search.profile} />}
            </Loaded>
          )}
          <Calendars profile={search.profile} />
        </>
      )}
    </Page>
  );
}

interface FoundProps {
  readonly bestTimes: BestTimes;
  readonly isLearned: boolean;
  readonly hasProfile: boolean;
}

function Found({ bestTimes, isLearned, hasProfile }: FoundProps) {
  const { posts, timezone, from, to, posts_left_out: leftOut = 0 } = bestTimes.meta;
  const window = `${dayIn(from, timezone)} to ${dayIn(to, timezone)}`;
  if (posts === 0) {
    return (
      <>
        <NoPosts
          where={`${hasProfile ? ' of this profile' : ''} from ${window}${leftOut > 0 ? ' can be learned from yet' : ''}`}
          isFiltered
        />
        <LeftOut posts={leftOut} />
      </>
    );
  }
  return (
    <section className="best-times" aria-labelledby="week">
      <h2 id="week">The week</h2>
      <p className="best-times-about">
        Learned from {plural(posts, 'post')}, {window} ({timezone}). 100 is{' '}
        {hasProfile ? 'the profile’s' : 'each profile’s'} average, 130 is 30 % above it. Each post is compared with the
        same profile’s other posts around that time. An hour’s score combines its own posts with those of neighbouring
        hours, of the same hour on other days, and of the whole day. The more posts an hour has, the more its own posts
        count.
        {isLearned ? '' : ' The suggested times are learned from the last year, so their scores may differ.'}
      </p>
      <Heatmap bestTimes={bestTimes} />
      <LeftOut posts={leftOut} />
    </section>
  );
}

const LeftOut = ({ posts }: { readonly posts: number }) =>
  posts === 0 ? null : (
    <p className="best-times-about">
      {plural(posts, 'post')} left out. Posts count only after three days, because their metrics still change until
      then. A profile needs five posts before they can be compared. If it has very many, only the newest are used.
    </p>
  );
