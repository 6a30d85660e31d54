import { type CSSProperties, type KeyboardEvent, useEffect, useRef } from 'react';
import { mergeProps } from 'react-aria/mergeProps';
import { useButton } from 'react-aria/useButton';
import { useDrag } from 'react-aria/useDrag';
import { useFocusRing } from 'react-aria/useFocusRing';
import { NetworkIcon } from '../../networks/network-icon.tsx';
import { Button } from '../../ui/button.tsx';
import { timeIn } from '../../ui/zoned-time.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { PostThumbnail, usePostItem } from '../post-media.tsx';
import { shorten } from '../shorten.ts';
import { isPlanned, type Post } from '../use-posts.ts';
import { useProfiles } from '../use-profiles.ts';
import { daysLater } from './dates.ts';
import type { Moves } from './use-moves.ts';

/** Maximum number of characters of a post's text on its button, and in the button's accessible name. */
const SHOWN = 80;

/** By how many milliseconds a key press moves a post. */
const QUARTER = 15 * 60_000;

interface PlannerPostProps {
  readonly post: Post;
  readonly isSmall: boolean;
  readonly moves: Moves;
  onOpen(post: string): void;
}

/**
 * A post in the planner. A pointer drags a planned post directly; keyboard users start the drag with the post's second
 * button.
 */
export function PlannerPost({ post, isSmall, moves, onOpen }: PlannerPostProps) {
  const { timezone } = useWorkspace();
  const { profiles } = useProfiles();
  const ref = useRef<HTMLDivElement>(null);
  const profile = profiles.find(({ id }) => id === post.profile);
  const isMovable = moves.isMovable(post);
  const time = timeIn(post.published_at, timezone);
  const text = post.text === null ? 'No text' : shorten(post.text, SHOWN);
  const { buttonProps } = useButton({ elementType: 'div', onPress: () => onOpen(post.id) }, ref);
  const { focusProps, isFocusVisible } = useFocusRing();
  const { dragProps, dragButtonProps, isDragging } = useDrag({
    hasDragButton: true,
    isDisabled: !isMovable,
    getItems: () => [{ 'text/plain': text }],
    getAllowedDropOperations: () => ['move'],
    onDragStart() {
      moves.dragged.current = post;
    },
    onDragEnd() {
      moves.dragged.current = null;
    },
  });
  const { refocused } = moves;
  useEffect(() => {
    if (refocused.current !== post.id || document.activeElement !== document.body) return;
    refocused.current = null;
    ref.current?.focus({ preventScroll: true });
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = event.altKey && isMovable ? movedBy(event.key) : null;
    if (at === null) return;
    event.preventDefault();
    moves.move(post, at);
  };
  const movedBy = (key: string): string | null => {
    const now = Date.parse(post.published_at);
    const targets: Readonly<Record<string, string>> = {
      ArrowUp: new Date(now - QUARTER).toISOString(),
      ArrowDown: new Date(now + QUARTER).toISOString(),
      ArrowLeft: daysLater(post.published_at, -1, timezone),
      ArrowRight: daysLater(post.published_at, 1, timezone),
    };
    const target = targets[key];
    return target !== undefined && Date.parse(target) > Date.now() ? target : null;
  };
  const [first] = post.media_content_ids;
  return (
    <li className="planner-item" data-dragging={isDragging || undefined}>
      <div
        {...mergeProps(buttonProps, focusProps, isMovable ? dragProps : {}, { onKeyDown })}
        ref={ref}
        className="planner-post"
        data-planned={isPlanned(post) || undefined}
        data-small={isSmall || undefined}
        data-focus-visible={isFocusVisible || undefined}
        aria-keyshortcuts={isMovable ? 'Alt+ArrowUp Alt+ArrowDown Alt+ArrowLeft Alt+ArrowRight' : undefined}
        style={{ '--hue': hueOf(post.profile, profiles) } as CSSProperties}
      >
        <span className="planner-when">
          <b>{time}</b> {isPlanned(post) && <span className="visually-hidden">Planned </span>}
          {profile && <NetworkIcon network={profile.network} size={13} />}
          <small className={isSmall ? 'visually-hidden' : undefined}>{profile?.name}</small>{' '}
          {isSmall && <small>{text}</small>}
        </span>
        {!isSmall && (
          <span className="planner-what">
            {first !== undefined && <Thumbnail id={first} />}
            <span className="planner-text">{text}</span>
          </span>
        )}
        {isSmall && first !== undefined && isPlanned(post) && <Thumbnail id={first} />}
      </div>
      {isMovable && (
        <Button {...dragButtonProps} className="planner-drag" aria-label={`Drag ${time} ${text}`}>
          Drag
        </Button>
      )}
    </li>
  );
}

const Thumbnail = ({ id }: { readonly id: string }) => <PostThumbnail item={usePostItem(id)} />;

/** Hues in oklch degrees, far apart for successive profiles. */
const HUES = [255, 30, 150, 320, 85, 200, 350, 115] as const;

/** Returns the hue that distinguishes a profile in the planner, by its position among the profiles. */
function hueOf(profile: string, profiles: readonly { readonly id: string }[]): number {
  const at = profiles.findIndex(({ id }) => id === profile);
  return HUES[Math.max(0, at) % HUES.length] ?? HUES[0];
}
