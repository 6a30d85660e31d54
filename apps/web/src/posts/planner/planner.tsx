import './planner.css';
import { Button } from '../../ui/button.tsx';
import { NextIcon, PreviousIcon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { dateFieldOf, dayIn } from '../../ui/zoned-time.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import type { Post, PostsView } from '../use-posts.ts';
import { addDays, addMonths, monthOf, weekOf } from './dates.ts';
import { Day, type DayProps } from './day.tsx';
import { useMoves } from './use-moves.ts';
import { useCrowdedDays, usePlanned } from './use-planned.ts';

type Span = Exclude<PostsView, 'list'>;

export interface PlannerProps extends Pick<DayProps, 'onOpen' | 'onPlan'> {
  readonly span: Span;
  /** One of the shown days. */
  readonly date: string;
  readonly profile: string | undefined;
  onShow(span: Span, date: string): void;
}

/** The screens on which planner.css stacks the days. */
const STACKED = '(width < 980px)';

const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/**
 * The published and planned posts of a week or a month, together with the suggested times. Planned posts can be moved.
 */
export function Planner({ span, date, profile, onShow, ...on }: PlannerProps) {
  const { timezone } = useWorkspace();
  const days = span === 'week' ? weekOf(date) : monthOf(date);
  const { posts, slots } = usePlanned(days, profile);
  const moves = useMoves();
  const [first = date, last = date] = [days[0], days.at(-1)];
  const today = dateFieldOf(new Date().toISOString(), timezone);
  const step = (by: -1 | 1): string => (span === 'week' ? addDays(first, 7 * by) : addMonths(date, by));
  return (
    <div className={`planner ${span}`}>
      <div className="planner-head">
        <h2>{span === 'week' ? `${dayIn(first, 'UTC')} to ${dayIn(last, 'UTC')}` : month.format(new Date(date))}</h2>
        <div className="planner-steps">
          <Button aria-label={`Previous ${span}`} onPress={() => onShow(span, step(-1))}>
            <PreviousIcon />
          </Button>
          <Button
            onPress={({ target }) => {
              onShow(span, today);
              showToday(target.closest('.planner'));
            }}
          >
            This {span}
          </Button>
          <Button aria-label={`Next ${span}`} onPress={() => onShow(span, step(1))}>
            <NextIcon />
          </Button>
        </div>
      </div>
      <Loaded query={posts}>
        {({ data, total }) => {
          const shown = data.map(moves.asMoved);
          const postsOf = Map.groupBy(shown, ({ published_at }) => dateFieldOf(published_at, timezone));
          const slotsOf = Map.groupBy(slots, ({ at }) => dateFieldOf(at, timezone));
          return (
            <>
              {total > data.length && (
                <p>
                  Showing the last {data.length} of {total} posts.
                </p>
              )}
              <CrowdedDays posts={shown} />
              <div key={first} ref={showToday} className="planner-days" data-span={span}>
                {days.map((day) => (
                  <Day
                    key={day}
                    day={day}
                    span={span}
                    isToday={day === today}
                    isOutside={span === 'month' && day.slice(0, 7) !== date.slice(0, 7)}
                    posts={postsOf.get(day) ?? []}
                    slots={slotsOf.get(day) ?? []}
                    moves={moves}
                    onShowWeek={() => onShow('week', day)}
                    {...on}
                  />
                ))}
              </div>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

/** Scrolls to the current day on screens on which the days are stacked, because past days would hide it. */
function showToday(planner: Element | null): void {
  if (matchMedia(STACKED).matches) planner?.querySelector('[data-today]')?.scrollIntoView();
}

/** Warns about profiles that have too many posts within 24 hours. */
function CrowdedDays({ posts }: { readonly posts: readonly Post[] }) {
  const crowded = useCrowdedDays(posts);
  if (crowded.length === 0) return null;
  return (
    <div className="week-crowded" role="status">
      {crowded.map(({ profile, message, remedy }) => (
        <p key={profile}>
          <b>{profile}:</b> {message} {remedy}
        </p>
      ))}
    </div>
  );
}
