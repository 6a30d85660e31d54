import type { MediaItem, Operations } from '@postshelf/client';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { useMay } from '../workspaces/use-may.ts';
import { canFit } from './can-fit.ts';
import type { FitChoice } from './fit-dialog.tsx';

const FitDialog = lazyDialog(async () => (await import('./fit-dialog.tsx')).FitDialog);

export interface FitButtonProps {
  readonly item: MediaItem;
  readonly found: Operations['readiness']['item']['output']['data'][number];
  /** The target's displayed name. */
  readonly name: string;
  /** Other targets that the item can be converted for at the same time. */
  readonly choices: readonly FitChoice[];
  /** Called with the new items, which are still being processed. */
  onMade(made: readonly MediaItem[]): void;
}

/** Button that converts the item for the target. It is only shown if the conversion is possible. */
export function FitButton({ item, found, name, choices, onMade }: FitButtonProps) {
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
          first={{ target: found.target, name }}
          choices={choices}
          onMade={onMade}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}
