import './fit.css';
import type { MediaItem } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client, queryClient, sentenceOf, trpc } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../ui/dialog.tsx';

const HOWS = [
  { how: 'pad', label: 'Pad', meaning: 'Adds bars: white for images, black for videos.' },
  { how: 'crop', label: 'Crop', meaning: 'Cropped equally on both sides.' },
] as const;

type How = (typeof HOWS)[number]['how'];

export interface FitDialogProps {
  readonly item: MediaItem;
  readonly target: string;
  readonly name: string;
  /** Whether the aspect ratio has to change. */
  readonly changesAspect: boolean;
  onMade(made: MediaItem): void;
  onClose(): void;
}

/** Starts the conversion to a new item that the target accepts. The new item's status shows the progress. */
export function FitDialog({ item, target, name, changesAspect, onMade, onClose }: FitDialogProps) {
  const [how, setHow] = useState<How>('pad');
  const fitting = useMutation({
    mutationFn: () => client.trpc.media.fit.mutate({ id: item.id, target, how }),
    onSuccess({ data: [made] }) {
      void queryClient.invalidateQueries({ queryKey: trpc.media.list.pathKey() });
      onClose();
      if (made) onMade(made);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    fitting.mutate();
  };
  return (
    <Dialog title={`Fit for ${name}`} isOpen onClose={onClose}>
      <form onSubmit={submit}>
        <p>Creates a copy in a type, size and shape that {name} accepts. The original isn’t changed.</p>
        {changesAspect && (
          <fieldset className="fit-hows">
            <legend>If the shape has to change</legend>
            {HOWS.map((one) => (
              <label key={one.how}>
                <input
                  type="radio"
                  name="how"
                  aria-label={one.label}
                  aria-describedby={`fit-${one.how}`}
                  checked={how === one.how}
                  onChange={() => setHow(one.how)}
                />
                <span className={`fit-sketch fit-sketch-${one.how}`} aria-hidden="true" />
                <span>
                  <strong>{one.label}</strong> <span id={`fit-${one.how}`}>{one.meaning}</span>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        {fitting.error && <p role="alert">{sentenceOf(fitting.error)}</p>}
        <DialogActions>
          <CancelButton hasBegun={fitting.isPending} onPress={onClose} />
          <Button type="submit" variant="primary" isPending={fitting.isPending}>
            Make a copy
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
