import { workspaceOf } from '@postshelf/browser/media/media-facts.ts';
import { isRefused } from '@postshelf/browser/queries/retries.ts';
import { Navigate, useBlocker, useSearch } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { sentenceOf } from '../../service/service.ts';
import { useMe } from '../../sessions/session-gate.tsx';
import { DiscardQuestion } from '../../ui/discard-question.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import type { Visit } from '../use-focus-after-visit.ts';
import { useMediaFilter } from '../use-media-filter.ts';
import { useSurroundings } from '../viewer/use-surroundings.ts';
import { Viewer } from '../viewer/viewer.tsx';
import { ItemContent } from './item-content.tsx';
import { useItem } from './use-item.ts';
import { useItemEdits } from './use-item-edits.ts';

interface OpenItemProps {
  readonly id: string;
  /** Receives the item's position in the list behind the viewer. */
  readonly visit: RefObject<Visit | null>;
}

/** An open item with all its actions. Asks for confirmation before discarding unsaved texts. */
export function OpenItem({ id, visit }: OpenItemProps) {
  const { data, error } = useItem(id);
  const { workspaces } = useMe();
  const { workspace: named } = useSearch({ strict: false });
  const shown = useWorkspace();
  const place = useMediaFilter();
  const item = data?.data;
  const home = item && workspaceOf(item);
  const edits = useItemEdits(id, item);
  const isDeleted = useRef(false);
  const isFound = item !== undefined && home === shown.id && !isMissing(error);
  const title = isFound ? item.name : item || isMissing(error) ? 'Not found' : 'Media item';
  useTitle(title);
  const mayLeave = () => isDeleted.current || !isFound || !edits.isDirty;
  const leaving = useBlocker({
    shouldBlockFn: ({ next }) => !mayLeave() && !('item' in next.params && next.params.item === id),
    enableBeforeUnload: () => !mayLeave(),
    withResolver: true,
  });
  const surroundings = useSurroundings(id, isFound ? item : undefined, place.filter);
  const { index } = surroundings;
  useEffect(() => {
    visit.current = { id, index };
  }, [id, index, visit]);
  const player = useRef<HTMLVideoElement>(null);
  const [unplayable, setUnplayable] = useState<string | null>(null);

  // A link without a workspace may lead to an item of another one. If the session has access to it, it is shown
  // instead.
  if (home !== undefined && home !== shown.id && named === undefined && workspaces.some((one) => one.id === home)) {
    return <Navigate to="/media/$item" params={{ item: id }} search={{ workspace: home }} replace />;
  }
  const onDeleted = () => {
    isDeleted.current = true;
    place.close();
  };
  const isPlayable = isFound && item.status === 'active' && item.time !== null && unplayable !== id;
  return (
    <Viewer
      id={id}
      title={title}
      item={isFound ? item : undefined}
      problem={isFound ? null : title === 'Not found' ? NOT_FOUND : error ? sentenceOf(error) : null}
      surroundings={surroundings}
      player={player}
      isHeld={leaving.status === 'blocked'}
      onUnplayable={setUnplayable}
      onOpen={place.open}
      onClose={place.close}
      details={
        isFound &&
        data && (
          <ItemContent
            key={id}
            item={item}
            version={data.version}
            edits={edits}
            player={isPlayable ? player : null}
            onDeleted={onDeleted}
          />
        )
      }
    >
      <DiscardQuestion
        isOpen={leaving.status === 'blocked'}
        onKeep={() => leaving.reset?.()}
        onDiscard={() => {
          edits.discard();
          leaving.proceed?.();
        }}
      />
    </Viewer>
  );
}

const NOT_FOUND = 'There’s no media item at this address. It may have been deleted.';

/** Whether the item doesn't exist: the service responds with 404, or 422 if the text can't be an id. */
const isMissing = (error: unknown): boolean => isRefused(error) && (error.status === 404 || error.status === 422);
