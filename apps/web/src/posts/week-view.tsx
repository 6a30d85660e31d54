import './week-view.css';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { dateFieldOf, dayIn, timeIn, weekdayIn } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { isPlanned, type Post } from './use-posts.ts';
import { useProfiles } from './use-profiles.ts';
import { type Slot, useCrowdedDays, useWeek } from './use-week.ts';
import { addDays, weekOf } from './week.ts';

/** Characters of a text. */
const SHOWN = 80;

interface WeekViewProps {
  /** A date of the week. */
  readonly date: string;
  readonly profile: string | undefined;
  onShow(date: string): void;
  onOpen(post: string): void;
  /** Called with the time of a new post; null where the user may not make one. */
  readonly onPlan: ((at: string) => void) | null;
}

/** The posts of a week, published and planned, among the suggested times. */
export function WeekView({ date, profile, onShow, onOpen, onPlan }: WeekViewProps) {
  const { timezone } = useWorkspace();
  const days = weekOf(date);
  const { posts, slots } = useWeek(days, profile);
  const [first = date, last = date] = [days[0], days.at(-1)];
  return (
    <div className="week">
      <div className="week-head">
        <h2>
          {dayIn(first, 'UTC')} to {dayIn(last, 'UTC')}
        </h2>
        <Button onPress={() => onShow(addDays(first, -7))}>Previous week</Button>
        <Button onPress={() => onShow(dateFieldOf(new Date().toISOString(), timezone))}>This week</Button>
        <Button onPress={() => onShow(addDays(first, 7))}>Next week</Button>
      </div>
      <Loaded query={posts}>
        {({ data, total }) => (
          <>
            {total > data.length && (
              <p>
                Showing the last {data.length} of {total} posts.
              </p>
            )}
            <CrowdedDays posts={data} />
            <div className="week-days">
              {days.map((day) => {
                const isOnDay = (at: string): boolean => dateFieldOf(at, timezone) === day;
                return (
                  <Day
                    key={day}
                    day={day}
                    posts={data.filter((post) => isOnDay(post.published_at))}
                    slots={slots.filter(({ at }) => isOnDay(at))}
                    onOpen={onOpen}
                    onPlan={onPlan}
                  />
                );
              })}
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Says which profiles have too many posts within 24 hours. */
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

interface DayProps extends Pick<WeekViewProps, 'onOpen' | 'onPlan'> {
  readonly day: string;
  readonly posts: readonly Post[];
  readonly slots: readonly Slot[];
}

function Day({ day, posts, slots, onOpen, onPlan }: DayProps) {
  const { timezone } = useWorkspace();
  const { profiles } = useProfiles();
  const name = weekdayIn(day, 'UTC');
  const entries = [
    ...posts.map((post) => ({ at: post.published_at, post })),
    ...slots.map((slot) => ({ at: slot.at, slot })),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      <ul>
        {entries.map((entry) => {
          const time = timeIn(entry.at, timezone);
          if ('slot' in entry) {
            return (
              <li key={entry.at} className="week-slot" title={entry.slot.reason}>
                <b>{time}</b> Suggested
                {onPlan && (
                  <Button variant="quiet" aria-label={`Plan ${name} ${time}`} onPress={() => onPlan(entry.at)}>
                    Plan
                  </Button>
                )}
              </li>
            );
          }
          const { post } = entry;
          return (
            <li key={post.id}>
              <Button className="week-post" onPress={() => onOpen(post.id)}>
                <b>{time}</b> {isPlanned(post) && 'Planned '}
                <small>{profiles.find(({ id }) => id === post.profile)?.name}</small>
                <br />
                {post.text?.slice(0, SHOWN) ?? 'No text'}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
