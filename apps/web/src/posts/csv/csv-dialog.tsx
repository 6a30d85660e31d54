import '../post-dialog.css';
import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { sentenceOf } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { Select } from '../../ui/select.tsx';
import { timeIn, weekdayIn } from '../../ui/zoned-time.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { ProfileField } from '../profile-field.tsx';
import { refreshPosts } from '../refresh-posts.ts';
import {
  type Columns,
  FIELDS,
  findTitles,
  guessColumns,
  rememberColumns,
  rememberedColumns,
  zoneInTitle,
  zoneOf,
} from './columns.ts';
import { type Imported, importRows } from './import-rows.ts';
import { type Row, readCsv } from './read-csv.ts';
import type { DateOrder } from './read-date.ts';
import { areRounded, hasTime, type Reading, readRow, rowReader } from './read-row.ts';
import { endWithShortYears, guessOrder, hasOrder } from './read-time.ts';

/** Number of rows in the preview, and number of rows that are searched for texts and for times of day. */
const PREVIEWED = 5;
const LOOKED_AT = 200;

const SHOWN_ERRORS = 100;

/** Maximum number of rows that are parsed before the import to count the importable ones. More would block the page. */
const COUNTED = 20_000;

const NO_ROWS: readonly Row[] = [];

interface CsvDialogProps {
  readonly profile: string;
  onClose(): void;
}

/** Imports posts from a network's export. */
export function CsvDialog({ profile: first, onClose }: CsvDialogProps) {
  const { id: workspace, timezone: ownZone } = useWorkspace();
  const [profile, setProfile] = useState(first);
  /** The columns that the user has chosen instead of the guessed ones. */
  const [chosen, setChosen] = useState<Columns>({});
  const [chosenOrder, setChosenOrder] = useState<DateOrder | null>(null);
  const [chosenZone, setChosenZone] = useState<string | null>(null);
  const [done, setDone] = useState(0);
  const reading = useMutation({ mutationFn: readCsv });
  const rows = reading.data ?? NO_ROWS;
  const at = findTitles(rows.slice(0, PREVIEWED).map(({ cells }) => cells));
  const titles = rows[at]?.cells ?? [];
  const posts = useMemo(() => rows.slice(at + 1), [rows, at]);
  const remembered = rememberedColumns(profile);
  const firstCells = posts.slice(0, LOOKED_AT).map(({ cells }) => cells);
  const guessed = { ...guessColumns(titles, remembered, firstCells), ...chosen };
  const columns: Columns = Object.fromEntries(Object.entries(guessed).filter(([, index]) => index >= 0));
  const timeAt = columns.published_at ?? -1;
  const times = useMemo(() => posts.map(({ cells }) => cells[timeAt] ?? ''), [posts, timeAt]);
  // All rows count, because the first twelve days of a month may fill hundreds of rows without settling the order.
  const guessedOrder = useMemo(() => guessOrder(times), [times]);
  const exportedAt = reading.variables?.lastModified ?? 0;
  const hasShortYears = useMemo(() => endWithShortYears(times, exportedAt), [times, exportedAt]);
  const order = chosenOrder ?? guessedOrder;
  const firstTimes = times.slice(0, LOOKED_AT);
  const zoneInTitles = zoneInTitle(titles[timeAt] ?? '') ?? zoneInTitle(titles[columns.time_of_day ?? -1] ?? '');
  const timeZone = chosenZone ?? zoneInTitles ?? zoneOf(remembered) ?? ownZone;
  const idAt = columns.external_id ?? -1;
  const hasRoundedIds = useMemo(() => areRounded(posts.map(({ cells }) => cells[idAt] ?? '')), [posts, idAt]);
  const how: Reading = { profile, columns, order, timeZone, exportedAt, hasShortYears, hasRoundedIds };
  const notify = useNotify();
  // The import continues when the dialog is closed, and reports its result in a notice then.
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const importing = useMutation({
    mutationFn: () => importRows(workspace, posts, how, setDone),
    onSuccess(imported) {
      rememberColumns(profile, titles, columns, timeZone === ownZone ? null : timeZone);
      if (!isShown.current) notify({ text: noticeOf(imported), tone: imported.errors.length > 0 ? 'bad' : 'plain' });
    },
    onError(error) {
      if (!isShown.current) notify({ text: sentenceOf(error), tone: 'bad' });
    },
    onSettled: refreshPosts,
  });
  const isReadable = columns.published_at !== undefined;
  const key = JSON.stringify([profile, columns, order, timeZone]);
  // The count is memoized, so that thousands of rows aren't parsed again while the import is in progress.
  const readable = useMemo(() => (isReadable ? countReadable(posts, how) : posts.length), [posts, key]);
  const reason = reasonOf(profile, rows, columns);
  const restart = (): void => {
    importing.reset();
    setChosen({});
    setChosenOrder(null);
    setChosenZone(null);
    setDone(0);
  };
  return (
    <Dialog title="Import CSV" isOpen isWide staysOpen onClose={onClose}>
      {importing.data ? (
        <Result imported={importing.data} />
      ) : (
        <div className="csv">
          <ProfileField
            value={profile}
            onChange={(id) => {
              restart();
              setProfile(id);
            }}
          />
          <FileTrigger
            acceptedFileTypes={['.csv', 'text/csv', '.tsv', '.txt']}
            onSelect={(files) => {
              restart();
              if (files?.[0]) reading.mutate(files[0]);
            }}
          >
            <Button>Choose file</Button>
          </FileTrigger>
          {rows.length === 0 && !reading.error && (
            <p>An export of posts from Instagram, Facebook, LinkedIn, TikTok or X, or any other list of posts.</p>
          )}
          {reading.error && <p role="alert">{sentenceOf(reading.error)}</p>}
          {rows.length > 0 && (
            <>
              <ColumnFields
                titles={titles}
                columns={columns}
                onChange={(change) => setChosen((was) => ({ ...was, ...change }))}
              />
              {hasOrder(firstTimes) && (
                <Select<DateOrder>
                  label="Dates start with"
                  value={order}
                  options={[
                    { value: 'month', label: 'Month' },
                    { value: 'day', label: 'Day' },
                  ]}
                  onChange={(choice) => setChosenOrder(choice)}
                />
              )}
              <Select
                label="Times are in"
                value={timeZone}
                options={zonesAfter(ownZone, timeZone)}
                onChange={setChosenZone}
              />
              {columns.published_at !== undefined && !firstCells.some((cells) => hasTime(cells, how)) && (
                <p role="status">
                  These dates have no time, so best times will count every post as published at midnight.
                </p>
              )}
              <Preview rows={posts.slice(0, PREVIEWED)} how={how} ownZone={ownZone} />
              <p>
                The preview shows times in {ownZone}. Some exports of Facebook are in Pacific time
                (America/Los_Angeles), those of other programs in UTC. Importing a post again updates it.
              </p>
            </>
          )}
          {importing.error && (
            <p role="alert">
              {sentenceOf(importing.error)} {done > 0 && `${plural(done, 'row')} had already been imported.`}
            </p>
          )}
        </div>
      )}
      <DialogActions>
        <CancelButton hasStarted={!importing.isIdle} onPress={onClose} />
        {!importing.data && (
          <ConfirmButton reason={reason} isPending={importing.isPending} onPress={() => importing.mutate()}>
            {importing.isPending
              ? `${formatNumber(done)} of ${plural(posts.length, 'row')}`
              : `Import${posts.length > 0 ? ` ${rowsOf(readable, posts.length)}` : ''}`}
          </ConfirmButton>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** Returns the choices of time zones: the workspace's own and UTC, and all others in the order of their names. */
function zonesAfter(ownZone: string, timeZone: string): readonly { readonly value: string; readonly label: string }[] {
  const zones = new Set([ownZone, 'UTC', timeZone, ...Intl.supportedValuesOf('timeZone')]);
  return Array.from(zones, (zone) => ({ value: zone, label: zone }));
}

function countReadable(posts: readonly Row[], how: Reading): number {
  if (posts.length > COUNTED) return posts.length;
  const read = rowReader(how);
  return posts.filter((row) => typeof read(row) !== 'string').length;
}

/** Returns "3 rows", or "2 of 3 rows" if the others can't be read. */
const rowsOf = (readable: number, all: number): string =>
  `${readable < all ? `${formatNumber(readable)} of ` : ''}${plural(all, 'row')}`;

function reasonOf(profile: string, rows: readonly Row[], columns: Columns): string | null {
  if (profile === '') return 'Choose a profile.';
  if (rows.length === 0) return 'Choose a file.';
  return columns.published_at === undefined ? 'Choose the column with the time.' : null;
}

interface ColumnFieldsProps {
  readonly titles: readonly string[];
  readonly columns: Columns;
  onChange(change: Columns): void;
}

function ColumnFields({ titles, columns, onChange }: ColumnFieldsProps) {
  const options = [
    { value: '-1', label: 'None' },
    ...titles.map((title, index) => ({ value: String(index), label: title || `Column ${index + 1}` })),
  ];
  return (
    <fieldset className="post-fields">
      <legend>Columns in the file</legend>
      {FIELDS.map(({ field, label }) => (
        <Select
          key={field}
          label={label}
          value={String(columns[field] ?? -1)}
          options={options}
          onChange={(index) => onChange({ [field]: Number(index) })}
        />
      ))}
    </fieldset>
  );
}

interface PreviewProps {
  readonly rows: readonly Row[];
  readonly how: Reading;
  readonly ownZone: string;
}

/** Shows the first rows as they would be imported, with times in the workspace's zone. */
function Preview({ rows, how, ownZone }: PreviewProps) {
  const { columns } = how;
  const shown = FIELDS.filter(({ field }) => columns[field] !== undefined && field !== 'time_of_day');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: makes the section scrollable with the keyboard
    <section aria-label="First rows" tabIndex={0}>
      <table aria-label="Preview">
        <thead>
          <tr>
            {shown.map(({ field, label }) => (
              <th key={field} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ number, cells }) => {
            const line = readRow(cells, how);
            if (typeof line === 'string') {
              return (
                <tr key={number}>
                  <td colSpan={Math.max(shown.length, 1)}>
                    Row {number}: {line}
                  </td>
                </tr>
              );
            }
            const time = `${weekdayIn(line.published_at, ownZone)} ${timeIn(line.published_at, ownZone)}`;
            return (
              <tr key={number}>
                {shown.map(({ field }) => (
                  <td key={field}>
                    {field === 'published_at' && time}
                    {(field === 'external_id' || field === 'text') && line[field]}
                    {line.metrics[field]}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

const countsOf = ({ created, updated, unchanged, errors }: Imported): string =>
  `${plural(created, 'post')} added, ${formatNumber(updated)} updated, ${formatNumber(unchanged)} unchanged${
    errors.length === 0 ? '.' : `, ${plural(errors.length, 'row')} not imported:`
  }`;

/** Number of errors in a notice. Importing the file again shows all of them. */
const NOTICED_ERRORS = 3;

/** Returns the result in a sentence, with the first errors. */
function noticeOf(imported: Imported): string {
  const { errors } = imported;
  const first = errors.slice(0, NOTICED_ERRORS).map(({ row, message }) => `Row ${row}: ${message}`);
  const hidden = errors.length - first.length;
  return [countsOf(imported), ...first, ...(hidden > 0 ? [`And ${formatNumber(hidden)} more.`] : [])].join(' ');
}

function Result({ imported }: { readonly imported: Imported }) {
  const { errors } = imported;
  const hidden = errors.length - SHOWN_ERRORS;
  return (
    <div className="csv">
      <p role="status">{countsOf(imported)}</p>
      {errors.length > 0 && (
        <ul aria-label="Errors">
          {errors.slice(0, SHOWN_ERRORS).map(({ row, message }) => (
            <li key={`${row} ${message}`}>
              Row {row}: {message}
            </li>
          ))}
          {hidden > 0 && <li>And {formatNumber(hidden)} more.</li>}
        </ul>
      )}
    </div>
  );
}
