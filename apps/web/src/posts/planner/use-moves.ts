import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client, sentenceOf } from '../../service/service.ts';
import { useNotify } from '../../ui/notices.tsx';
import { timeIn, weekdayIn } from '../../ui/zoned-time.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { refreshPosts } from '../refresh-posts.ts';
import { isPlanned, type Post } from '../use-posts.ts';
import { onDay } from './dates.ts';

/** Milliseconds within which moves of a post count as one, which "Undo" reverts as a whole: as long as a notice is shown. */
const ONE_MOVE = 10_000;

/** Moves planned posts to other times. */
export type Moves = ReturnType<typeof useMoves>;

export function useMoves() {
  const { timezone, scopes } = useWorkspace();
  const mayMove = scopes.includes('analytics:write');
  const notify = useNotify();
  /** The post that is being dragged. */
  const dragged = useRef<Post | null>(null);
  /** The id of the moved post, which gets the focus back at its new position. */
  const refocused = useRef<string | null>(null);
  // The new times of moved posts. They are shown until the posts have been read again.
  const [moved, setMoved] = useState<ReadonlyMap<string, string>>(new Map());
  /** The times that recently moved posts had before their first move, and when they were moved last. */
  const origins = useRef(new Map<string, { readonly at: string; readonly movedAt: number }>());
  const moving = useMutation({
    // Moves that follow each other quickly are sent one after another, so that the last one wins.
    scope: { id: 'moves' },
    mutationFn: ({ post, at }: { readonly post: Post; readonly at: string }) =>
      client.trpc.posts.update.mutate({ id: post.id, published_at: at }),
    onError: (error) => notify({ text: sentenceOf(error), tone: 'bad' }),
    async onSettled(_data, _error, { post, at }) {
      await refreshPosts();
      setMoved((were) => {
        const rest = new Map(were);
        if (rest.get(post.id) === at) rest.delete(post.id);
        return rest;
      });
    },
  });
  const start = (post: Post, at: string, onSuccess: () => void = () => undefined): void => {
    // This isn't in `onMutate`, which runs later: the next key press has to start from the new time.
    setMoved((were) => new Map(were).set(post.id, at));
    moving.mutate({ post, at }, { onSuccess });
  };
  const move = (post: Post, at: string): void => {
    refocused.current = post.id;
    const earlier = origins.current.get(post.id);
    const from = earlier && Date.now() - earlier.movedAt < ONE_MOVE ? earlier.at : post.published_at;
    origins.current.set(post.id, { at: from, movedAt: Date.now() });
    const undo = (): void => {
      origins.current.delete(post.id);
      refocused.current = post.id;
      start(post, from, () =>
        notify({ text: `The post is back at ${weekdayIn(from, timezone)}, ${timeIn(from, timezone)}.` }),
      );
    };
    start(post, at, () =>
      notify({ text: `The post was moved to ${weekdayIn(at, timezone)}, ${timeIn(at, timezone)}.`, undo }),
    );
  };
  const isMovable = (post: Post): boolean => mayMove && isPlanned(post);
  return {
    dragged,
    refocused,
    isMovable,
    move,
    /** Returns the post with the time that it is being moved to. */
    asMoved: (post: Post): Post => {
      const at = moved.get(post.id);
      return at === undefined ? post : { ...post, published_at: at };
    },
    /**
     * Returns a post's time after a move to a day, at its present time of day; null if that changes nothing or is in
     * the past.
     */
    onDay: (post: Post, day: string): string | null => {
      const at = onDay(post.published_at, day, timezone);
      return at.slice(0, 16) === post.published_at.slice(0, 16) || Date.parse(at) <= Date.now() ? null : at;
    },
  };
}
