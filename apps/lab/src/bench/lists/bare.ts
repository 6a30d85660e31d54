// The limit of lists: Bun's own server over the same file, with the same SQL, prepared: the count and the page. It has no
// token, checks no field, and reads no covers.
import { Database } from 'bun:sqlite';
import { env } from 'node:process';
import type { Case } from './cases.ts';

const database = new Database(env.DATABASE ?? '', { readonly: true });
const columns = {
  media: 'id, name, full_name, label, status, error_message, size, width, height, time, folder_id',
  folders: 'id, name, parent_id, is_system',
};

/** By path. */
const lists = new Map<string, () => Response>();
for (const [workspace, cases] of Object.entries(JSON.parse(env.LISTS ?? '{}') as Record<string, readonly Case[]>))
  for (const { path, table, where, offset } of cases) {
    const rows = `from ${table} where workspace_id = ? ${where}`;
    const count = database.prepare<{ total: number }, [string]>(`select count(*) as total ${rows}`);
    const page = database.prepare(
      `select ${columns[table]} ${rows} order by updated_at desc, id desc limit 25 offset ?`,
    );
    lists.set(`/${workspace}${path}`, () =>
      Response.json({ data: page.all(workspace, offset), meta: count.get(workspace) }),
    );
  }

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(env.PORT),
  fetch: ({ url }) => lists.get(url.slice(url.indexOf('/', 'http://'.length)))?.() ?? new Response('ready'),
});
