import type { GuestRecord } from '../ledger/guest.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { hold } from '../violation.ts';
import type { Rows } from './rows.ts';

/** Tables in which rows about a removed workspace remain. These rows record its removal and who requested it. */
const KEPT = ['removals', 'audit'];

/** The workspace id of rows that belong to no workspace. */
const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000';

/**
 * Compares the guests' workspaces with the requests. Created workspaces must exist with their items, removed workspaces
 * must not exist, and no table may contain a row of a workspace that doesn't exist.
 *
 * @param own the id of the ledger's workspace
 * @throws Violation
 */
export function compareGuests(ledger: Ledger, { workspaces, media, traces }: Rows, own: string): void {
  const others = new Map(workspaces.filter(({ id }) => id !== own).map((row) => [row.name, row]));
  for (const [name, row] of others) {
    const isKnown =
      ledger.guests.has(name) || (row.isGoing && ledger.removedGuests.some((guest) => guest.id === row.id));
    hold(isKnown, 'A workspace is there that nobody asked for.', { row });
  }
  const active = new Set(media.filter(({ status }) => status === 'active').map(({ id }) => id));
  for (const [name, guest] of [...ledger.guests]) {
    const row = others.get(name);
    const isThere = row !== undefined && !row.isGoing;
    const { id, exists } = guest;
    hold(exists.allows(isThere), isThere ? 'A removed workspace is there.' : 'A workspace is lost.', { name, id, row });
    exists.settle(isThere);
    guest.id = row?.id ?? id;
    if (isThere) requireItems(guest, active);
    else forget(ledger, guest);
  }
  const there = new Set(workspaces.map(({ id }) => id));
  const left = traces.filter(
    ({ table, workspace }) => !there.has(workspace) && workspace !== NO_WORKSPACE && !KEPT.includes(table),
  );
  hold(left.length === 0, 'Rows are left of a workspace that was removed.', { left });
}

function requireItems({ name, items }: GuestRecord, active: ReadonlySet<string>): void {
  const lost = [...items].filter((id) => !active.has(id));
  hold(lost.length === 0, 'An acknowledged item of another workspace is lost.', { name, lost });
}

function forget(ledger: Ledger, guest: GuestRecord): void {
  ledger.guests.delete(guest.name);
  ledger.removedGuests.push(guest);
}
