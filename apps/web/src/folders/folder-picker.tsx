import { useId, useState } from 'react';
import { sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { ALL, type FolderRows } from './folder-rows.ts';
import { TreeList } from './tree-list.tsx';
import { useExpanded } from './use-expanded.ts';
import { useFolderRows } from './use-folders.ts';

const TOP = 'Top of the library';

interface FolderPickerProps {
  readonly title: string;
  /** The label of its button. */
  readonly action: string;
  /** The current folder, which can't be chosen; absent if there are several. */
  readonly from?: string | null;
  /** The folder that is moved: neither it nor a folder in it can be chosen. */
  readonly without?: string;
  /** null is the library's root. */
  onPick(folder: string | null, name: string): void;
  onClose(): void;
}

/** Asks for a folder. */
export function FolderPicker({ title, action, from, without, onPick, onClose }: FolderPickerProps) {
  const [chosen, setChosen] = useState<string | null | undefined>(undefined);
  const { expanded, toggle } = useExpanded(null);
  const { rows, note, error } = useFolderRows(expanded, TOP);
  const reasonId = useId();
  const reason =
    chosen !== undefined && chosen === from
      ? 'It is there already.'
      : chosen && without !== undefined && isIn(rows, chosen, without)
        ? 'A folder can’t be moved into itself.'
        : null;
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {error && <p role="alert">{sentenceOf(error)}</p>}
      <div className="folder-picker">
        <TreeList label="To folder" rows={rows} current={chosen} onOpen={setChosen} onToggle={toggle} />
      </div>
      {reason !== null && (
        <p id={reasonId} role="status">
          {reason}
        </p>
      )}
      {note && <p className="folders-note">{note}</p>}
      <DialogActions>
        <CancelButton onPress={onClose} />
        <Button
          variant="primary"
          isDisabled={chosen === undefined}
          disabledBy={reason === null ? null : reasonId}
          onPress={() => chosen !== undefined && onPick(chosen, rows.nameAt(rows.indexOf(chosen ?? ALL)))}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Whether a folder is another one, or in it. */
function isIn(rows: FolderRows, folder: string, other: string): boolean {
  for (let next: string | null = folder; next !== null; ) {
    if (next === other) return true;
    next = rows.valueAt(rows.indexOf(next))?.folder?.parent_id ?? null;
  }
  return false;
}
