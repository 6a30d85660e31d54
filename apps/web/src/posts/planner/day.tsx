import { plural } from '@postshelf/browser/ui/format-number.ts';
import { useRef } from 'react';
import { useDrop } from 'react-aria/useDrop';
import { Button } from '../../ui/button.tsx';
import { timeIn, weekdayIn } from '../../ui/zoned-time.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { isPlanned, type Post } from '../use-posts.ts';
import { PlannerPost } from './planner-post.tsx';
import type { Moves } from './use-moves.ts';
import type { Slot } from './use-planned.ts';

/** Number of a day's posts that a month shows; the others are only counted. */
const SHOWN_IN_MONTH = 3;

export interface DayProps {
  readonly day: string;
  readonly span: 'week' | 'month';
  readonly isToday: boolean;
  /** Whether the day is outside the shown month. */
  readonly isOutside: boolean;
  readonly posts: readonly Post[];
  readonly slots: readonly Slot[];
  readonly moves: Moves;
  onOpen(post: string): void;
  /** Called with the time of a new post; null if the user isn't allowed to create one. */
  readonly onPlan: ((at: string) => void) | null;
  onShowWeek(): void;
}

/** A day with its posts and suggested times. A planned post that is dropped on it keeps its time of day. */
export function Day({ day, span, isToday, isOutside, posts, slots, moves, onOpen, onPlan, onShowWeek }: DayProps) {
  const ref = useRef<HTMLElement>(null);
  const target = (): string | null => moves.dragged.current && moves.onDay(moves.dragged.current, day);
  const { dropProps, isDropTarget } = useDrop({
    ref,
    getDropOperation: () => (target() === null ? 'cancel' : 'move'),
    onDrop() {
      const at = target();
      if (moves.dragged.current && at !== null) moves.move(moves.dragged.current, at);
    },
  });
  const name = weekdayIn(day, 'UTC');
  const [weekday = '', date = '', monthName = ''] = name.split(' ');
  const entries = [
    ...posts.map((post) => ({ at: post.published_at, post })),
    ...slots.map((slot) => ({ at: slot.at, slot })),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  // Planned posts come first, because they can still be changed.
  const ranked = posts.toSorted((one, other) => Number(isPlanned(other)) - Number(isPlanned(one)));
  const inMonth = new Set(ranked.slice(0, SHOWN_IN_MONTH));
  const hidden = span === 'month' ? posts.length - inMonth.size : 0;
  return (
    <section
      {...dropProps}
      ref={ref}
      aria-label={name}
      tabIndex={-1}
      className="planner-day"
      data-today={isToday || undefined}
      data-outside={isOutside || undefined}
      data-empty={entries.length === 0 || undefined}
      data-drop-target={isDropTarget || undefined}
    >
      <h3>
        <span>{weekday}</span> <b>{date}</b> {(span === 'week' || date === '1') && <span>{monthName}</span>}
      </h3>
      <ul>
        {entries.map((entry) => {
          if ('slot' in entry) {
            return <Ghost key={entry.at} slot={entry.slot} day={name} moves={moves} onPlan={onPlan} />;
          }
          const { post } = entry;
          if (span === 'month' && !inMonth.has(post)) return null;
          return <PlannerPost key={post.id} post={post} isSmall={span === 'month'} moves={moves} onOpen={onOpen} />;
        })}
      </ul>
      {hidden > 0 && (
        <Button
          variant="quiet"
          className="planner-more"
          aria-label={`${plural(hidden, 'more post')} on ${name}`}
          onPress={onShowWeek}
        >
          +{hidden} more
        </Button>
      )}
    </section>
  );
}

interface GhostProps extends Pick<DayProps, 'onPlan' | 'moves'> {
  readonly slot: Slot;
  /** The day's name. */
  readonly day: string;
}

/**
 * A suggested time, which is a thin line until the pointer hovers over it. It accepts dropped posts, and creates new
 * posts.
 */
function Ghost({ slot, day, moves, onPlan }: GhostProps) {
  const { timezone } = useWorkspace();
  const ref = useRef<HTMLLIElement>(null);
  const time = timeIn(slot.at, timezone);
  const { dropProps, isDropTarget } = useDrop({
    ref,
    getDropOperation: () => 'move',
    onDrop: () => moves.dragged.current && moves.move(moves.dragged.current, slot.at),
  });
  return (
    <li
      {...dropProps}
      ref={ref}
      tabIndex={-1}
      aria-label={`Suggested time ${day} ${time}`}
      className="planner-ghost"
      title={slot.reason}
      data-drop-target={isDropTarget || undefined}
    >
      <span>
        {time} <span className="visually-hidden">Suggested</span>
      </span>
      {onPlan && (
        <Button variant="quiet" aria-label={`Plan ${day} ${time}`} onPress={() => onPlan(slot.at)}>
          Plan
        </Button>
      )}
    </li>
  );
}
