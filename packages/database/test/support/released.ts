// Makes databases as earlier versions left them: `bun packages/database/test/support/released.ts 0003-presigned FILE`.
import { type Migrations, migrate } from '../../src/migrations/migrate.ts';
import { SQLITE_MIGRATIONS } from '../../src/migrations/sqlite/index.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { openStore } from '../../src/sqlite/store.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const id = (number: number): string => `019b7c3e-0000-7000-8000-${String(number).padStart(12, '0')}`;
const [WORKSPACE, FOREIGN, FOLDER, CHILD, SYSTEM] = [id(1), id(2), id(11), id(12), id(13)];
const [IMAGE, VIDEO, COVER, FAILED] = [id(21), id(22), id(23), id(24)];
const [FREE, LEASED, WAITING] = [id(25), id(26), id(27)];
const [PROFILE, POST] = [id(41), id(51)];
const HASH = 'a3'.repeat(32);

const media = (columns: Readonly<Record<string, string | number | null>>): string => {
  const row = {
    workspace_id: WORKSPACE,
    folder_id: null,
    name: 'Été 😀.jpg',
    full_name: `${WORKSPACE}/${columns.id}/Été 😀.jpg`,
    label: 'It’s summer',
    search_key: 'été 😀.jpg\nit’s summer',
    created_at: NOW,
    updated_at: NOW + 1,
    ...columns,
  };
  return insert('media', row);
};
const active = { status: 'active', size: 482_113, sha256: HASH, width: 1600, height: 1200 };

function insert(table: string, row: Readonly<Record<string, string | number | Uint8Array | null>>): string {
  const values = Object.values(row).map((value) => {
    if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  });
  return `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')})`;
}

const folder = (folderId: string, parent: string | null, name: string, isSystem: 0 | 1): string =>
  insert('folders', {
    id: folderId,
    workspace_id: WORKSPACE,
    parent_id: parent,
    name,
    name_key: name.toLowerCase(),
    is_system: isSystem,
    created_at: NOW,
    updated_at: NOW,
  });

const [DAY, QUARTER] = [86_400_000, 900_000];

/** The stored quarters of a day (see migration 0004) with posts only in the quarter of {@link NOW}. */
function oneQuarter(posts: number, engagement: number): Uint8Array {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt8(Math.floor((NOW % DAY) / QUARTER), 0);
  bytes.writeUInt32LE(posts, 1);
  bytes.writeDoubleLE(engagement, 5);
  return bytes;
}

/** Rows, as earlier versions wrote them, for the tables that each migration created. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  '0001-library': [
    insert('workspaces', { id: WORKSPACE, name: 'Café', timezone: 'Europe/Berlin', created_at: NOW }),
    insert('workspaces', { id: FOREIGN, name: 'Elsewhere', timezone: 'us/pacific', created_at: NOW + 1 }),
    folder(FOLDER, null, 'Summer', 0),
    folder(CHILD, FOLDER, 'July', 0),
    folder(SYSTEM, null, 'Inbox', 1),
    media({ id: IMAGE, folder_id: CHILD, ...active, type: 'image/jpeg' }),
    media({ id: VIDEO, ...active, type: 'video/mp4', time: 12 }),
    media({ id: COVER, ...active, type: 'image/jpeg', cover_of: VIDEO, sha256: null }),
    media({ id: FAILED, status: 'failed', error_message: 'The server at example.com answered 404.' }),
    insert('tokens', {
      id: id(31),
      name: 'CI',
      scopes: '["media:read"]',
      created_at: NOW,
      expires_at: NOW + 1000,
      revoked_at: NOW + 5,
      last_used_at: NOW + 4,
    }),
    insert('token_workspaces', { token_id: id(31), workspace_id: WORKSPACE, position: 0 }),
    insert('token_workspaces', { token_id: id(31), workspace_id: FOREIGN, position: 1 }),
  ],
  '0002-imports': [
    media({ id: FREE, status: 'processing' }),
    media({ id: LEASED, status: 'processing' }),
    insert('imports', {
      media_id: FREE,
      workspace_id: WORKSPACE,
      url: 'https://example.com/a',
      attempts: 1,
      claims: 2,
      added_at: NOW,
      due_at: NOW + 5,
    }),
    insert('imports', {
      media_id: LEASED,
      workspace_id: WORKSPACE,
      url: 'https://example.com/b',
      attempts: 0,
      claims: 1,
      added_at: NOW,
      lease_owner: 'host 1',
      lease_until: NOW + 9,
    }),
  ],
  '0003-presigned': [
    media({ id: WAITING, status: 'temporary' }),
    insert('presigned_uploads', { media_id: WAITING, size: 1000, type: 'image/png', expires_at: NOW - (NOW % 1000) }),
  ],
  '0004-posts': [
    insert('profiles', {
      id: PROFILE,
      workspace_id: WORKSPACE,
      name: 'Beach club',
      network: 'instagram',
      created_at: NOW,
      updated_at: NOW,
    }),
    insert('posts', {
      id: POST,
      workspace_id: WORKSPACE,
      profile_id: PROFILE,
      external_id: 'e1',
      published_at: NOW,
      text: 'It’s on 😀',
      impressions: 10,
      likes: 4,
      comments: 3,
      shares: 2,
      saves: 1,
      clicks: 5,
      created_at: NOW,
      updated_at: NOW,
    }),
    insert('post_media', { post_id: POST, position: 0, media_id: IMAGE }),
    insert('engagement_days', { profile_id: PROFILE, day: Math.floor(NOW / DAY), quarters: oneQuarter(1, 10) }),
  ],
  '0006-library-id': [
    insert('library', {
      id: id(61),
      born_at: NOW,
      generation: 7,
      restored_at: NOW + 2,
      storage_marked_at: NOW + 3,
      secret_fingerprint: HASH,
    }),
  ],
  '0007-object-checks': [
    insert('object_checks', {
      id: 1,
      cursor: IMAGE,
      started_at: NOW,
      checked: 3,
      missing: 1,
      finished_at: NOW - 9,
      last_checked: 2,
      last_missing: 0,
    }),
  ],
  '0009-covers-due': [
    insert('covers_due', { media_id: VIDEO, workspace_id: WORKSPACE, turn: 3, free_at: NOW, claims: 1 }),
  ],
  '0010-media-details': [
    insert('media_tags', { media_id: IMAGE, position: 0, workspace_id: WORKSPACE, tag: 'Été', tag_key: 'été' }),
    media({
      id: id(28),
      ...active,
      type: 'image/png',
      alt_text: 'It’s a boat',
      details: '{"image":{"frames":1},"video":null}',
    }),
  ],
  '0011-duplicates': [insert('duplicates', { id: id(31), media_id: VIDEO, expires_at: NOW })],
  '0012-repeats': [
    insert('repeats', {
      id: id(71),
      token_id: id(31),
      position: 1,
      expires_at: NOW,
      lease_owner: 'host 1',
      lease_until: NOW,
    }),
  ],
  '0014-previews': [
    insert('previews', { media_id: IMAGE, placeholder: 'data:image/webp;base64,AA==', due_at: NOW, faults: 2 }),
    insert('previews', { media_id: id(28), has_failed: 1 }),
  ],
  '0015-fits': [
    media({ id: id(29), workspace_id: WORKSPACE, status: 'processing', fitted_from: IMAGE }),
    insert('fits', {
      media_id: id(29),
      workspace_id: WORKSPACE,
      target: 'x.post',
      how: 'crop',
      turn: 2,
      free_at: NOW,
      claims: 1,
      lease_owner: 'host 1',
      lease_until: NOW,
    }),
  ],
  // What the statements above have noted: a write of the program would have made events of it.
  '0022-events': ['delete from resource_changes'],
  '0023-webhooks': [
    `insert into webhooks (id, workspace_id, url, enabled, secret, created_at, updated_at, turn, due_at)
      values ('${id(30)}', '${WORKSPACE}', 'https://hooks.example/in', 1, x'00ff', ${NOW}, ${NOW}, 0, ${NOW})`,
    insert('webhook_deliveries', {
      id: id(31),
      webhook_id: id(30),
      workspace_id: WORKSPACE,
      event_id: id(32),
      event_type: 'media.active',
      payload: '{}',
      status: 'pending',
      attempts: 0,
      next_attempt_at: NOW,
      created_at: NOW,
    }),
    insert('fan_out', { id: 1, position: 0 }),
  ],
};

/** All earlier schemas, by the name of their last migration. */
export const RELEASED = Object.keys(SQLITE_MIGRATIONS).slice(0, -1);

/** Makes a database with the schema of an earlier version, named by its last migration, and rows in every table. */
export async function makeReleased(last: string, file: string): Promise<void> {
  const names = Object.keys(SQLITE_MIGRATIONS);
  const upTo = names.slice(0, names.indexOf(last) + 1);
  const store = await openStore(file, 1000);
  const migrations = Object.fromEntries(upTo.map((name) => [name, SQLITE_MIGRATIONS[name] as Migrations[string]]));
  await store.write((transaction) => migrate(transaction, migrations));
  await store.close();
  const database = new Sqlite(file);
  database.pragma('foreign_keys = on');
  for (const name of upTo) database.exec(`begin; ${(ROWS[name] ?? []).join(';\n')}; commit`);
  database.pragma('journal_mode = delete');
  database.close();
}

if (import.meta.main) await makeReleased(process.argv[2] ?? '', process.argv[3] ?? '');
