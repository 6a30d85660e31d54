import './list.css';
import type { FocusEvent, KeyboardEvent } from 'react';
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
const ROW = {
  role: 'row',
  'aria-rowindex': 1,
  // Without these handlers, the grid would move the focus to its first item, and handle the arrow keys.
  onFocus: (event: FocusEvent) => event.stopPropagation(),
  onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Tab') event.stopPropagation();
  },
};
const HEADER = { role: 'columnheader' } as const;

interface ListHeadProps {
  readonly sort: Sort;
  onSort(sort: Sort): void;
}

/** The names of the list's columns. A click on a name sorts by that column, and a second click reverses the order. */
export const ListHead = ({ sort, onSort }: ListHeadProps) => (
  <div {...GROUP}>
    <div {...ROW} className="list-head">
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
              <button type="button" onClick={() => onSort(sort === sorts[0] ? sorts[1] : sorts[0])}>
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
