import { useRef, useState } from 'react';
import { Button as AriaButton, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { CloseIcon } from '../../ui/icons.tsx';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { PostThumbnail, usePostItem } from '../post-media.tsx';
import { reorder } from './reorder.ts';

const ChooseMedia = lazyDialog(async () => (await import('../choose-media.tsx')).ChooseMedia);

interface PostMediaFieldProps {
  readonly ids: readonly string[];
  readonly error: string | undefined;
  readonly isReadOnly: boolean;
  onChange(ids: readonly string[]): void;
}

/** The form field for a post's media. */
export function PostMediaField({ ids, error, isReadOnly, onChange }: PostMediaFieldProps) {
  const [isChoosing, setIsChoosing] = useState(false);
  return (
    <fieldset className="post-fields">
      <legend>Media</legend>
      {ids.length > 0 && <MediaOrder ids={ids} isReadOnly={isReadOnly} onChange={onChange} />}
      {error !== undefined && <span role="alert">{error}</span>}
      {!isReadOnly && <Button onPress={() => setIsChoosing(true)}>Choose media</Button>}
      {isChoosing && (
        <ChooseMedia
          onChoose={(chosen) => onChange([...new Set([...ids, ...chosen])])}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </fieldset>
  );
}

interface MediaOrderProps {
  readonly ids: readonly string[];
  readonly isReadOnly: boolean;
  onChange(ids: readonly string[]): void;
}

/**
 * A post's media in publication order. They can be reordered by dragging; for keyboard users, each item has a button
 * that starts the drag.
 */
function MediaOrder({ ids, isReadOnly, onChange }: MediaOrderProps) {
  const latest = useRef(ids);
  latest.current = ids;
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    getAllowedDropOperations: () => ['move'],
    onReorder: ({ keys, target }) =>
      onChange(reorder(latest.current, [...keys].map(String), String(target.key), target.dropPosition)),
    isDisabled: ids.length < 2,
  });
  return (
    <GridList
      aria-label="Media"
      key={String(isReadOnly)}
      className="media-order"
      layout="grid"
      items={ids.map((id) => ({ id }))}
      dependencies={[isReadOnly, ids]}
      keyboardNavigationBehavior="tab"
      {...(!isReadOnly && { dragAndDropHooks })}
    >
      {({ id }) => (
        <Chosen
          id={id}
          canMove={!isReadOnly}
          onRemove={isReadOnly ? null : () => onChange(latest.current.filter((other) => other !== id))}
        />
      )}
    </GridList>
  );
}

interface ChosenProps {
  readonly id: string;
  readonly canMove: boolean;
  readonly onRemove: (() => void) | null;
}

function Chosen({ id, canMove, onRemove }: ChosenProps) {
  const item = usePostItem(id);
  const name = item?.name ?? 'Media item';
  return (
    <GridListItem id={id} textValue={name} className="media-order-item">
      <PostThumbnail item={item} />
      <span className="media-order-name" title={name}>
        {name}
      </span>
      {canMove && (
        <AriaButton slot="drag" className="media-order-drag" aria-label={`Drag ${name}`}>
          ⠿
        </AriaButton>
      )}
      {onRemove && (
        <Button className="media-order-remove" aria-label={`Remove ${name}`} onPress={onRemove}>
          <CloseIcon />
        </Button>
      )}
    </GridListItem>
  );
}
