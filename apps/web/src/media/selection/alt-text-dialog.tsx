import './alt-text-dialog.css';
import { previewOf } from '@postshelf/browser/media/media-facts.ts';
import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { refresh } from '../../service/live.ts';
import { client, sentenceOf } from '../../service/service.ts';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useUnsaved } from '../../ui/use-unsaved.tsx';

/** Maximum number of listed items. More would be too many to describe in one session. */
const MAX_LISTED = 100;

/** Size of a thumbnail in pixels. */
const SIDE = 72;

interface AltTextDialogProps {
  /** Describes the selected items: "3 items". */
  readonly what: string;
  readonly items: readonly MediaItem[];
  onClose(): void;
}

const altTextOf = ({ details }: MediaItem): string => details?.alt_text ?? '';

/**
 * Edits the alt texts of many items in one dialog. Texts that others have written in the meantime are shown, and
 * replaced only by saving again.
 */
export function AltTextDialog({ what, items, onClose }: AltTextDialogProps) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  // The texts that were saved or read since the dialog was opened.
  const [stored, setStored] = useState<Readonly<Record<string, string>>>({});
  const notify = useNotify();
  const listed = items.slice(0, MAX_LISTED);
  const storedOf = (item: MediaItem): string => stored[item.id] ?? altTextOf(item);
  const changed = listed.filter((item) => (typed[item.id] ?? storedOf(item)) !== storedOf(item));
  const saving = useMutation({
    async mutationFn() {
      const outcomes: Described[] = [];
      for (const item of changed) {
        const { id } = item;
        const before = storedOf(item);
        outcomes.push({ id, before, ...(await describe(id, before, typed[id] ?? '')) });
      }
      return outcomes;
    },
    onSuccess(outcomes) {
      const saved = outcomes.filter(({ refusal }) => refusal === null);
      void refresh('media');
      if (saved.length > 0) {
        const undo = async (): Promise<void> => {
          for (const { id, before } of saved) await client.trpc.media.update.mutate({ id, alt_text: before || null });
          await refresh('media');
          notify({ text: `${plural(saved.length, 'alt text')} put back.` });
        };
        notify({
          text: `${plural(saved.length, 'alt text')} saved.`,
          undo: () => void undo().catch((error: unknown) => notify({ text: sentenceOf(error), tone: 'bad' })),
        });
      }
      if (saved.length === outcomes.length) unsaved.done();
      setStored({ ...stored, ...Object.fromEntries(outcomes.map(({ id, now }) => [id, now])) });
      setRefused(Object.fromEntries(outcomes.flatMap(({ id, refusal }) => (refusal === null ? [] : [[id, refusal]]))));
    },
  });
  const unsaved = useUnsaved(true, onClose);
  const isDirty = changed.length > 0;
  const { onDirty } = unsaved;
  useEffect(() => onDirty(isDirty), [onDirty, isDirty]);
  const close = saving.isPending ? unsaved.done : unsaved.close;
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
              <Thumbnail item={item} />
              <TextField
                label={item.name}
                rows={2}
                value={typed[item.id] ?? storedOf(item)}
                onChange={(text) => setTyped({ ...typed, [item.id]: text })}
                error={refused[item.id]}
              />
            </li>
          ))}
        </ul>
        {items.length > MAX_LISTED && (
          <p className="alt-texts-rest">
            The first {formatNumber(MAX_LISTED)} of {formatNumber(items.length)}. Save these, then select the others.
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
      {unsaved.question}
    </Dialog>
  );
}

function Thumbnail({ item }: { readonly item: MediaItem }) {
  const preview = previewOf(item, SIDE, devicePixelRatio);
  return preview === null ? <i aria-hidden="true" /> : <img src={preview} alt="" loading="lazy" decoding="async" />;
}

interface Outcome {
  /** Why the text wasn't saved; null if it was. */
  readonly refusal: string | null;
  /** The text that the item has now. */
  readonly now: string;
}

interface Described extends Outcome {
  readonly id: string;
  readonly before: string;
}

/** Saves an item's alt text, unless it is no longer the one from before. */
async function describe(id: string, before: string, text: string): Promise<Outcome> {
  try {
    const { data, version } = await client.trpc.media.get.query({ id, include: 'details' });
    const now = altTextOf(data);
    if (now !== before && now !== text)
      return { refusal: `Someone else described it meanwhile: “${now}”. Save again to replace it.`, now };
    await client.trpc.media.update.mutate({ id, alt_text: text || null, if_match: version });
    return { refusal: null, now: text };
  } catch (error) {
    return { refusal: sentenceOf(error), now: before };
  }
}
