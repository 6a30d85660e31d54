import type { MediaItem } from '@postshelf/client';
import { useState } from 'react';

const EDITED = ['name', 'label', 'alt_text'] as const;
export type EditedField = (typeof EDITED)[number];

interface Edit {
  /** The value of the field when typing began. */
  readonly from: string;
  readonly to: string;
}

type Edits = { readonly [Field in EditedField]?: Edit };

export interface ItemEdits {
  readonly isDirty: boolean;
  /** The text of a field: the typed text, else the item's. */
  valueOf(field: EditedField): string;
  /** The text that somebody else has saved since typing began; null if nobody has. */
  changedElsewhere(field: EditedField): string | null;
  type(field: EditedField, text: string): void;
  /** Texts that differ from the item's. */
  changes(): { readonly [Field in EditedField]?: string };
  /** Drops the edits that were saved, but not what was typed since. */
  saved(sent: { readonly [Field in EditedField]?: string }): void;
  discard(): void;
}

const textOf = (item: MediaItem, field: EditedField): string =>
  (field === 'alt_text' ? item.details?.alt_text : item[field]) ?? '';

/**
 * The unsaved texts in an item's fields. Fields without an unsaved text show the current item, with changes by other
 * users.
 */
export function useItemEdits(id: string, item: MediaItem | undefined): ItemEdits {
  const [kept, setKept] = useState<{ readonly id: string; readonly edits: Edits }>({ id, edits: {} });
  const edits = kept.id === id ? kept.edits : {};
  const now = (field: EditedField): string => (item ? textOf(item, field) : '');
  const isChanged = (field: EditedField): boolean => edits[field] !== undefined && edits[field].to !== now(field);
  return {
    isDirty: EDITED.some(isChanged),
    valueOf: (field) => edits[field]?.to ?? now(field),
    changedElsewhere: (field) => (isChanged(field) && edits[field]?.from !== now(field) ? now(field) : null),
    type: (field, to) => setKept({ id, edits: { ...edits, [field]: { from: edits[field]?.from ?? now(field), to } } }),
    changes: () => Object.fromEntries(EDITED.filter(isChanged).map((field) => [field, edits[field]?.to ?? ''])),
    saved: (sent) =>
      setKept((current) => {
        const left = EDITED.filter((field) => current.edits[field] && current.edits[field].to !== sent[field]);
        return { ...current, edits: Object.fromEntries(left.map((field) => [field, current.edits[field]])) };
      }),
    discard: () => setKept({ id, edits: {} }),
  };
}
