import type { MediaItem, Operations } from '@postshelf/client';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { useMay } from '../workspaces/use-may.ts';
import { canFit, changesShape } from './can-fit.ts';
import { FitDialog } from './fit-dialog.tsx';

export interface FitButtonProps {
  readonly item: MediaItem;
  readonly found: Operations['readiness']['item']['output']['data'][number];
  /** The target's displayed name. */
  readonly name: string;
  /** Called with the new item, which is still being processed. */
  onMade(made: MediaItem): void;
}

/** Button that converts the item for the target; only shown if that is possible. */
export function FitButton({ item, found, name, onMade }: FitButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const mayMake = useMay('media:write');
  if (!mayMake || !canFit(item, found)) return null;
  return (
    <>
      <Button className="fit-button" aria-label={`Fit for ${name}`} onPress={() => setIsOpen(true)}>
        Fit
      </Button>
      {isOpen && (
        <FitDialog
          item={item}
          target={found.target}
          name={name}
          changesAspect={changesShape(found)}
          onMade={onMade}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}
