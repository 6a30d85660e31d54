import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { PostPicture, usePostItem } from './post-media.tsx';

const ChooseMedia = lazy(async () => ({ default: (await import('./choose-media.tsx')).ChooseMedia }));

interface PostMediaFieldProps {
  readonly ids: readonly string[];
  readonly error: string | undefined;
  readonly isReadOnly: boolean;
  onChange(ids: readonly string[]): void;
}

/** A post's media in order. */
export function PostMediaField({ ids, error, isReadOnly, onChange }: PostMediaFieldProps) {
  const [isChoosing, setIsChoosing] = useState(false);
  return (
    <fieldset className="post-fields">
      <legend>Media</legend>
      {ids.length > 0 && (
        <ol aria-label="Media" className="post-chosen">
          {ids.map((id) => (
            <Chosen
              key={id}
              id={id}
              onRemove={isReadOnly ? null : () => onChange(ids.filter((other) => other !== id))}
            />
          ))}
        </ol>
      )}
      {error !== undefined && <span role="alert">{error}</span>}
      {!isReadOnly && <Button onPress={() => setIsChoosing(true)}>Choose media</Button>}
      {isChoosing && (
        <Suspense>
          <ChooseMedia
            onChoose={(chosen) => onChange([...new Set([...ids, ...chosen])])}
            onClose={() => setIsChoosing(false)}
          />
        </Suspense>
      )}
    </fieldset>
  );
}

function Chosen({ id, onRemove }: { readonly id: string; readonly onRemove: (() => void) | null }) {
  const item = usePostItem(id);
  const name = item?.name ?? 'Media item';
  return (
    <li>
      <PostPicture item={item} />
      <span>{name}</span>
      {onRemove && (
        <Button variant="quiet" aria-label={`Remove ${name}`} onPress={onRemove}>
          ×
        </Button>
      )}
    </li>
  );
}
