import type { MediaItem, Operations } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { client, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';

type Found = Operations['links']['check']['output']['data'];

/**
 * A button that makes the service fetch the item's link as networks do. The results for all networks are shown below
 * the button.
 */
export function CheckLink({ item: { id } }: { readonly item: MediaItem }) {
  const checking = useMutation({
    mutationFn: () => client.trpc.links.check.mutate({ id }, { idempotencyKey: null }),
  });
  const { data, error, isPending } = checking;
  return (
    <div className="link-check">
      <Button onPress={() => checking.mutate()} isPending={isPending}>
        Check the link
      </Button>
      {/* The element is rendered before it has text, because otherwise screen readers would miss the text. */}
      <div role="status" aria-label="Link check">
        {isPending && <p>Fetching the file as networks do…</p>}
        {!isPending && error && <p>{sentenceOf(error)}</p>}
        {!isPending && data && (
          <ul>
            {sentencesOf(data.data).map(({ message, ok }) => (
              <li key={message} data-severity={ok ? undefined : 'error'}>
                {message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

/** Returns each sentence once, because several targets may have the same one. Failures come first. */
function sentencesOf(found: Found): readonly Pick<Found[number], 'message' | 'ok'>[] {
  const all = new Map(found.map((one) => [one.message, one]));
  return [...all.values()].sort((one, other) => Number(one.ok) - Number(other.ok));
}
