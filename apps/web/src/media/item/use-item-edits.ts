import type { MediaItem } from '@postshelf/client';
import { useState } from 'react';

const EDITED = ['name', 'label', 'alt_text'] as const;
export type EditedField = (typeof EDITED)[number];

interface Edit {
  /** The value of the field when typing began. */
  readonly from: string;
  readonly to: string;
}

export type Edits = { readonly [Field in EditedField]?: Edit };

export interface ItemEdits {
  readonly isDirty: boolean;
  /** Returns a field's text: the typed text, or the item's. */
  valueOf(field: EditedField): string;
  /** Returns the text that another user has saved since typing began, or null. */
  changedElsewhere(field: EditedField): string | null;
  type(field: EditedField, text: string): void;
  /** Returns the texts that differ from the item's. */
  changes(): Edits;
  /**
   * Returns {@link changes} as changes of the item's current texts, so that saving them overwrites what other users
   * have saved since typing began.
   */
  changesOfNow(): Edits;
  /** Discards the edits that were saved, but not what was typed since then. */
  saved(sent: Edits): void;
  /** Discards the edits of texts that others have changed. */
  keepTheirs(): void;
  discard(): void;
}

/** Returns the edited fields that another user has changed since typing began. */
export const changedBefore = (edits: Edits, item: MediaItem): readonly EditedField[] =>
  EDITED.filter((field) => {
    const [edit, now] = [edits[field], textOf(item, field)];
    return edit !== undefined && edit.from !== now && edit.to !== now;
  });

const textOf = (item: MediaItem, field: EditedField): string =>
  (field === 'alt_text' ? item.details?.alt_text : item[field]) ?? '';

/**
 * The user's unsaved changes to an item's fields. An unchanged field shows the item's current text, including changes
 * by other users.
 */
export function useItemEdits(id: string, item: MediaItem | undefined): ItemEdits {
  const [kept, setKept] = useState<{ readonly id: string; readonly edits: Edits }>({ id, edits: {} });
  const edits = kept.id === id ? kept.edits : {};
  const now = (field: EditedField): string => (item ? textOf(item, field) : '');
  const isChanged = (field: EditedField): boolean => edits[field] !== undefined && edits[field].to !== now(field);
  const isChangedElsewhere = (field: EditedField) => isChanged(field) && edits[field]?.from !== now(field);
  const changed = EDITED.filter(isChanged);
  return {
    isDirty: changed.length > 0,
    valueOf: (field) => edits[field]?.to ?? now(field),
    changedElsewhere: (field) => (isChangedElsewhere(field) ? now(field) : null),
    type: (field, to) => setKept({ id, edits: { ...edits, [field]: { from: edits[field]?.from ?? now(field), to } } }),
    changes: () => Object.fromEntries(changed.map((field) => [field, edits[field]])),
    changesOfNow: () =>
      Object.fromEntries(changed.map((field) => [field, { from: now(field), to: edits[field]?.to ?? '' }])),
    saved: (sent) =>
      setKept((current) => {
        const left = EDITED.filter((field) => current.edits[field] && current.edits[field].to !== sent[field]?.to);
        return { ...current, edits: Object.fromEntries(left.map((field) => [field, current.edits[field]])) };
      }),
    keepTheirs: () => setKept({ id, edits: without(edits, EDITED.filter(isChangedElsewhere)) }),
    discard: () => setKept({ id, edits: {} }),
  };
}

const without = (edits: Edits, fields: readonly EditedField[]): Edits =>
  Object.fromEntries(EDITED.filter((field) => !fields.includes(field)).map((field) => [field, edits[field]]));
