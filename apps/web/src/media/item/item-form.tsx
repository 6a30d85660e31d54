import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { PostshelfError } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import type { FocusEvent, FormEvent } from 'react';
import { sentenceOf } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { changeItem, refreshItem, type SeenItem } from './use-item.ts';
import { changedBefore, type EditedField, type Edits, type ItemEdits } from './use-item-edits.ts';

/** Maximum number of characters, as in the service. */
const MAX_ALT_TEXT = 1500;

const FIELDS: readonly {
  readonly field: EditedField;
  readonly label: string;
  readonly rows: number;
  readonly description: string;
}[] = [
  { field: 'name', label: 'Name', rows: 1, description: 'The file extension can’t be changed.' },
  { field: 'label', label: 'Label', rows: 1, description: 'Helps you find it: campaign, place, people.' },
  {
    field: 'alt_text',
    label: 'Alt text',
    rows: 3,
    description: 'Describe what it shows, for people who can’t see it. Sent to networks that support alt text.',
  },
];

interface ItemFormProps extends SeenItem {
  readonly edits: ItemEdits;
}

/**
 * The form for an item's texts. The texts are saved when the user presses the form's button, or moves the focus to
 * another part of the item's details. If the user leaves the item instead, the page asks for confirmation before it
 * discards unsaved texts. The service's errors are shown next to the fields.
 */
export function ItemForm({ item, version, edits }: ItemFormProps) {
  const notify = useNotify();
  const saving = useMutation({
    mutationFn: (changes: Edits) => save({ item, version }, changes),
    async onSuccess(isSaved, sent) {
      if (!isSaved) return;
      await refreshItem(item.id);
      edits.saved(sent);
      notify({ text: 'Saved.' });
    },
  });
  const errors = saving.error instanceof PostshelfError ? saving.error.errors : {};
  const refused = saving.data === false ? FIELDS.filter(({ field }) => edits.changedElsewhere(field) !== null) : [];
  const isBesideFields = FIELDS.some(({ field }) => errors[field] !== undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (edits.isDirty) saving.mutate(edits.changes());
  };
  const saveOnLeaving = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    const isInDetails = relatedTarget instanceof Element && relatedTarget.closest('.viewer-details') !== null;
    if (!isInDetails || currentTarget.contains(relatedTarget) || saving.isPending || !edits.isDirty) return;
    // If another user has changed one of the edited texts, nothing is saved until this user chooses which version to
    // keep.
    if (FIELDS.every(({ field }) => edits.changedElsewhere(field) === null)) saving.mutate(edits.changes());
  };
  const keepTheirs = (): void => {
    saving.reset();
    edits.keepTheirs();
  };
  return (
    <form className="item-form" aria-label="Description" onSubmit={submit} onBlur={saveOnLeaving} noValidate>
      {FIELDS.map(({ field, label, rows, description }) => {
        const elsewhere = edits.changedElsewhere(field);
        return (
          <TextField
            key={field}
            label={label}
            rows={rows}
            value={edits.valueOf(field)}
            onChange={(text) => {
              if (saving.error) saving.reset();
              edits.type(field, text);
            }}
            description={elsewhere === null ? description : `Changed elsewhere in the meantime: “${elsewhere}”.`}
            error={errors[field]?.join(' ')}
          />
        );
      })}
      <Counter text={edits.valueOf('alt_text')} max={MAX_ALT_TEXT} />
      {saving.error && !isBesideFields && <p role="alert">{sentenceOf(saving.error)}</p>}
      {refused.length > 0 && (
        <section className="item-conflict" role="alert" aria-labelledby="item-conflict">
          <h3 id="item-conflict">Someone else changed this</h3>
          {refused.map(({ field, label }) => (
            <dl key={field}>
              <dt>{label}</dt>
              <dd>Theirs: {edits.changedElsewhere(field) || 'nothing'}</dd>
              <dd>Yours: {edits.valueOf(field) || 'nothing'}</dd>
            </dl>
          ))}
          <Button onPress={keepTheirs}>Keep theirs</Button>
          <Button onPress={() => saving.mutate(edits.changesOfNow())}>Save mine</Button>
        </section>
      )}
      <Button type="submit" variant="primary" isDisabled={!edits.isDirty} isPending={saving.isPending}>
        Save
      </Button>
    </form>
  );
}

/** Saves texts, unless another user has changed one of them since typing began. @returns whether they were saved */
function save(seen: SeenItem, changes: Edits): Promise<boolean> {
  const texts = Object.fromEntries(Object.entries(changes).map(([field, { to }]) => [field, to]));
  return changeItem(seen, (item) => (changedBefore(changes, item).length > 0 ? null : texts));
}

function Counter({ text, max }: { readonly text: string; readonly max: number }) {
  const count = [...text].length;
  return (
    <p className="item-counter" data-is-over={count > max}>
      {formatNumber(count)} of {formatNumber(max)} characters
    </p>
  );
}
