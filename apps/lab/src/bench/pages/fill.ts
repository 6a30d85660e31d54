import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Copies a workspace's images until it has `wanted` of them. The copies share the previews of their originals. */
export function copyMedia(data: string, workspace: string, wanted: number): void {
  const database = new Database(join(data, 'postshelf.db'));
  try {
    database.pragma('busy_timeout = 20000');
    const originals = database
      .prepare(
        `select id from media where workspace_id = ? and status = 'active' and cover_of is null and type like 'image/%'`,
      )
      .pluck()
      .all(workspace) as string[];
    const columns = 'workspace_id, folder_id, label, status, type, size, sha256, width, height, details, alt_text';
    const copy = database.prepare(
      `insert into media (id, name, full_name, search_key, created_at, updated_at, ${columns})
      select $id, $name, workspace_id || '/' || $id || '/' || $name, $name, created_at - $nth * 1000, updated_at - $nth * 1000, ${columns}
      from media where id = $original`,
    );
    const copyPreviews = database.prepare(
      'insert into previews (media_id, has_failed, placeholder) select ?, has_failed, placeholder from previews where media_id = ?',
    );
    const previews = join(data, 'media/.previews', workspace);
    database.transaction(() => {
      for (let nth = 1; nth <= wanted - originals.length; nth += 1) {
        const original = originals[nth % originals.length] ?? '';
        const id = `01940000-0000-7000-8200-${nth.toString(16).padStart(12, '0')}`;
        copy.run({ id, original, nth, name: `photo-${nth}.jpg` });
        copyPreviews.run(id, original);
        mkdirSync(join(previews, id));
        for (const name of readdirSync(join(previews, original)))
          linkSync(join(previews, original, name), join(previews, id, name));
      }
    })();
  } finally {
    database.close();
  }
}
