import './list.css';
import { type FocusEvent, type KeyboardEvent, useState } from 'react';
import type { MediaFilter } from '../use-media-filter.ts';

type Sort = MediaFilter['sort'];

interface Column {
  readonly label: string;
  readonly className: string;
  /**
   * The order after the first click on the column's name, and the order after the second; absent if the service can't
   * sort by the column.
   */
  readonly sorts?: readonly [first: Sort, then: Sort];
}

const COLUMNS: readonly Column[] = [
  { label: 'Name', className: 'line-name', sorts: ['name', '-name'] },
  { label: 'Dimensions', className: 'line-shape' },
  { label: 'Size', className: 'line-size', sorts: ['-size', 'size'] },
  { label: 'Added', className: 'line-date', sorts: ['-created_at', 'created_at'] },
  { label: 'Changed', className: 'line-date line-changed', sorts: ['-updated_at', 'updated_at'] },
];

/** The header uses ARIA roles instead of table elements, because the lines below it aren't a table. */
const GROUP = { role: 'rowgroup' } as const;
const ROW = { role: 'row', 'aria-rowindex': 1 } as const;
const HEADER = { role: 'columnheader' } as const;

/** The label of the column that was just sorted by, until the sorted list is shown. */
let sorted: string | null = null;

/**
 * Returns the focus to the column's button once the sorted list, which is another one, is shown, unless the user has
 * moved the focus elsewhere in the meantime.
 */
function refocus(button: HTMLButtonElement | null, label: string): void {
  if (button === null || label !== sorted || document.activeElement === button) return;
  sorted = null;
  if (document.activeElement === document.body) button.focus();
}

interface ListHeadProps {
  readonly sort: Sort;
  onSort(sort: Sort): void;
  /** Called when a column's name gets the focus. */
  onEnter(): void;
  /**
   * Moves the focus to the items below: to the first one, or to the one that had it last.
   *
   * @returns false if there are no items
   */
  onLeave(to: 'first' | 'last focused'): boolean;
}

/**
 * The names of the list's columns. A click on a name sorts by that column, and a second click reverses the order. One
 * name is a tab stop, initially the first, which is shown at any width, and the arrow keys move to the others.
 */
export function ListHead({ sort, onSort, onEnter, onLeave }: ListHeadProps) {
  const [stop, setStop] = useState(COLUMNS[0]?.label);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    // Without this, the grid would handle the key. For Tab, it would select its last item, and move the focus out.
    event.stopPropagation();
    const buttons = [...event.currentTarget.querySelectorAll('button')];
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined) buttons[to]?.focus();
    else if (event.key === 'ArrowDown') onLeave('first');
    else if (event.key !== 'Tab' || event.shiftKey || !onLeave('last focused')) return;
    event.preventDefault();
  };
  const row = {
    ...ROW,
    onKeyDown,
    onFocus(event: FocusEvent) {
      // Without this, the grid would move the focus to its first item.
      event.stopPropagation();
      onEnter();
    },
  };
  return (
    <div {...GROUP}>
      <div {...row} className="list-head">
        <div {...HEADER}>
          <span className="visually-hidden">Preview</span>
        </div>
        {COLUMNS.map(({ label, className, sorts }) => {
          const isSorted = sorts?.includes(sort) ?? false;
          const order = sort.startsWith('-') ? 'descending' : 'ascending';
          return (
            <div
              key={label}
              {...{ ...HEADER, 'aria-sort': sorts && (isSorted ? order : ('none' as const)) }}
              className={className}
            >
              {sorts ? (
                <button
                  ref={(button) => refocus(button, label)}
                  type="button"
                  tabIndex={label === stop ? 0 : -1}
                  onFocus={() => setStop(label)}
                  onClick={() => {
                    sorted = label;
                    onSort(sort === sorts[0] ? sorts[1] : sorts[0]);
                  }}
                >
                  {label}
                </button>
              ) : (
                label
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
