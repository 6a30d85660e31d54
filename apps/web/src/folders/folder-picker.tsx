import { useState } from 'react';
import { sentenceOf } from '../service/service.ts';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { ALL, type Folder, type FolderRows, MAX_LEVELS, TOO_DEEP } from './folder-rows.ts';
import { TreeList } from './tree-list.tsx';
import { useExpanded } from './use-expanded.ts';
import { useFolderRows, useFolderTotals } from './use-folders.ts';

const TOP = 'Top of the library';

interface FolderPickerProps {
  readonly title: string;
  /** The label of the button that confirms the choice. */
  readonly action: string;
  /** The folder that is moved; absent if media are moved. */
  readonly moved?: Folder;
  /** Called with the chosen folder; null is the library's root. */
  onPick(folder: string | null, name: string): void;
  onClose(): void;
}

/** Dialog that asks for a folder. */
export function FolderPicker({ title, action, moved, onPick, onClose }: FolderPickerProps) {
  const [chosen, setChosen] = useState<string | null | undefined>(undefined);
  const { expanded, toggle } = useExpanded(null);
  const { rows, note, error } = useFolderRows(expanded, TOP);
  const totals = useFolderTotals();
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {error && <p role="alert">{sentenceOf(error)}</p>}
      <div className="folder-picker">
        <TreeList
          label="To folder"
          rows={rows}
          current={chosen}
          totalOf={({ id }) => totals.get(id)?.media}
          onOpen={setChosen}
          onToggle={toggle}
        />
      </div>
      {note && <p className="folders-note">{note}</p>}
      <DialogActions>
        <CancelButton onPress={onClose} />
        <ConfirmButton
          reason={chosen === undefined ? 'Choose a folder.' : moved ? refusal(rows, moved, chosen) : null}
          onPress={() => chosen !== undefined && onPick(chosen, rows.nameAt(rows.indexOf(chosen ?? ALL)))}
        >
          {action}
        </ConfirmButton>
      </DialogActions>
    </Dialog>
  );
}

/**
 * Returns why the folder can't be moved into the parent; null if no reason is known here. Only the service knows how
 * many levels the folder contains.
 */
function refusal(rows: FolderRows, { id, parent_id, counts }: Folder, parent: string | null): string | null {
  if (parent === parent_id) return 'It’s already there.';
  if (parent === null) return null;
  if (isIn(rows, parent, id)) return 'A folder can’t be moved into itself.';
  const levels = (rows.valueAt(rows.indexOf(parent))?.level ?? 0) + (counts?.folders ? 2 : 1);
  return levels > MAX_LEVELS ? TOO_DEEP : null;
}

/** Whether `folder` is `other` or a descendant of `other`. */
function isIn(rows: FolderRows, folder: string, other: string): boolean {
  for (let next: string | null = folder; next !== null; ) {
    if (next === other) return true;
    next = rows.valueAt(rows.indexOf(next))?.folder?.parent_id ?? null;
  }
  return false;
}
