import { isRefused } from '@postshelf/browser/queries/retries.ts';
import { Navigate, useBlocker, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { sentenceOf } from '../../service/service.ts';
import { useMe } from '../../sessions/session-gate.tsx';
import { DiscardQuestion } from '../../ui/discard-question.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { useMediaFilter } from '../use-media-filter.ts';
import { ItemContent } from './item-content.tsx';
import { ItemFrame } from './item-frame.tsx';
import { useItem, workspaceOf } from './use-item.ts';
import { useItemEdits } from './use-item-edits.ts';
import { useNeighbours } from './use-neighbours.ts';

/** An open item with all its actions. Asks for confirmation before unsaved texts are discarded. */
export function OpenItem({ id }: { readonly id: string }) {
  const { data, error } = useItem(id);
  const { workspaces } = useMe();
  const { workspace: named } = useSearch({ strict: false });
  const shown = useWorkspace();
  const place = useMediaFilter();
  const item = data?.data;
  const home = item && workspaceOf(item);
  const edits = useItemEdits(id, item);
  const isGone = useRef(false);
  const isFound = item !== undefined && home === shown.id && !isMissing(error);
  const title = isFound ? item.name : item || isMissing(error) ? 'Not found' : 'Media item';
  useTitle(title);
  const mayLeave = () => isGone.current || !isFound || !edits.isDirty;
  const leaving = useBlocker({
    shouldBlockFn: ({ next }) => !mayLeave() && !('item' in next.params && next.params.item === id),
    enableBeforeUnload: () => !mayLeave(),
    withResolver: true,
  });
  const neighbours = useNeighbours(id, place.filter, item?.details?.created_at);

  // A link without a workspace may be to an item of another workspace of the same token.
  if (home !== undefined && home !== shown.id && named === undefined && workspaces.some((one) => one.id === home)) {
    return <Navigate to="/media/$item" params={{ item: id }} search={{ workspace: home }} replace />;
  }
  const onDeleted = () => {
    isGone.current = true;
    place.close();
  };
  return (
    <ItemFrame id={id} title={title} neighbours={neighbours} onOpen={place.open} onClose={place.close}>
      {isFound && data && (
        <ItemContent key={id} item={item} version={data.version} edits={edits} onDeleted={onDeleted} />
      )}
      {title === 'Not found' && <p>There’s no media item at this address. It may have been deleted.</p>}
      {!isFound && title !== 'Not found' && (error ? <p role="alert">{sentenceOf(error)}</p> : <p aria-busy="true" />)}
      <DiscardQuestion
        isOpen={leaving.status === 'blocked'}
        onKeep={() => leaving.reset?.()}
        onDiscard={() => {
          edits.discard();
          leaving.proceed?.();
        }}
      />
    </ItemFrame>
  );
}

/** The service answers 404, or 422 if the text can't be an id. */
const isMissing = (error: unknown): boolean => isRefused(error) && (error.status === 404 || error.status === 422);
