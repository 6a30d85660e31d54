import './alt-text-dialog.css';
import { previewOf } from '@postshelf/browser/media/media-facts.ts';
import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { refresh } from '../../service/live.ts';
import { client, sentenceOf } from '../../service/service.ts';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { DiscardQuestion } from '../../ui/discard-question.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { TextField } from '../../ui/text-field.tsx';

/** Maximum number of listed items. More would be too many to describe in one session. */
const MOST = 100;

/** Size of an image in pixels. */
const PICTURE = 72;

interface AltTextDialogProps {
  /** Describes the selected items: "3 items". */
  readonly what: string;
  readonly items: readonly MediaItem[];
  onClose(): void;
}

const altTextOf = ({ details }: MediaItem): string => details?.alt_text ?? '';

/** Edits the alt texts of many items in one dialog. Texts that others have written in the meantime are kept. */
export function AltTextDialog({ what, items, onClose }: AltTextDialogProps) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  const [isAsking, setIsAsking] = useState(false);
  const notify = useNotify();
  const listed = items.slice(0, MOST);
  const changed = listed.filter((item) => (typed[item.id] ?? altTextOf(item)) !== altTextOf(item));
  const saving = useMutation({
    async mutationFn() {
      const failures: Record<string, string> = {};
      for (const item of changed) {
        const failure = await describe(item, typed[item.id] ?? '').catch(sentenceOf);
        if (failure !== null) failures[item.id] = failure;
      }
      return failures;
    },
    onSuccess(failures) {
      const saved = changed.filter(({ id }) => failures[id] === undefined);
      void refresh('media');
      if (saved.length > 0) {
        const undo = async (): Promise<void> => {
          for (const item of saved)
            await client.trpc.media.update.mutate({ id: item.id, alt_text: altTextOf(item) || null });
          await refresh('media');
          notify({ text: `${plural(saved.length, 'alt text')} put back.` });
        };
        notify({
          text: `${plural(saved.length, 'alt text')} saved.`,
          undo: () => void undo().catch((error: unknown) => notify({ text: sentenceOf(error), tone: 'bad' })),
        });
      }
      if (saved.length === changed.length) onClose();
      else setRefused(failures);
    },
  });
  const close = (): void => (changed.length > 0 && !saving.isPending ? setIsAsking(true) : onClose());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (changed.length > 0 && !saving.isPending) saving.mutate();
  };
  return (
    <Dialog title={`Alt text of ${what}`} isOpen isWide staysOpen onClose={close}>
      <form onSubmit={submit} noValidate>
        <ul className="alt-texts">
          {listed.map((item) => (
            <li key={item.id}>
              <Picture item={item} />
              <TextField
                label={item.name}
                rows={2}
                value={typed[item.id] ?? altTextOf(item)}
                onChange={(text) => setTyped({ ...typed, [item.id]: text })}
                error={refused[item.id]}
              />
            </li>
          ))}
        </ul>
        {items.length > MOST && (
          <p className="alt-texts-rest">
            The first {formatNumber(MOST)} of {formatNumber(items.length)}. Save these, then select the others.
          </p>
        )}
        {saving.error && <p role="alert">{sentenceOf(saving.error)}</p>}
        <DialogActions>
          <CancelButton hasStarted={saving.isPending} onPress={close} />
          <ConfirmButton
            type="submit"
            isPending={saving.isPending}
            reason={changed.length === 0 ? 'Describe each image for people who can’t see it.' : null}
          >
            Save
          </ConfirmButton>
        </DialogActions>
      </form>
      <DiscardQuestion isOpen={isAsking} onKeep={() => setIsAsking(false)} onDiscard={onClose} />
    </Dialog>
  );
}

function Picture({ item }: { readonly item: MediaItem }) {
  const preview = previewOf(item, PICTURE, devicePixelRatio);
  return preview === null ? <i aria-hidden="true" /> : <img src={preview} alt="" loading="lazy" decoding="async" />;
}

/** Saves an alt text. @returns why it wasn't saved; null if it was */
async function describe(item: MediaItem, text: string): Promise<string | null> {
  const { data, version } = await client.trpc.media.get.query({ id: item.id, include: 'details' });
  if (altTextOf(data) !== altTextOf(item)) return `Someone else described it meanwhile: “${altTextOf(data)}”.`;
  await client.trpc.media.update.mutate({ id: item.id, alt_text: text || null, if_match: version });
  return null;
}
