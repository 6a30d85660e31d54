import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { MediaOrder } from './composer/media-order.tsx';

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
      {ids.length > 0 && <MediaOrder ids={ids} isReadOnly={isReadOnly} onChange={onChange} />}
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
