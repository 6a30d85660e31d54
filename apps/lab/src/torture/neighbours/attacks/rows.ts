import type { Deployment } from '../../deployments/deployment.ts';

/** When the oldest item was made; the next is a second younger, and so on. */
const FIRST = Date.UTC(2025, 0, 1);

/** So many pictures, straight in the database: to upload them would take hours. */
export function fillMedia(deployment: Deployment, workspace: string, count: number): Promise<void> {
  const id =
    deployment.name === 'bucket'
      ? "('01940000-a000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid"
      : "printf('01940000-a000-7000-8000-%012x', n)";
  const text = 'cast(n as text)';
  return deployment.change(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
     insert into media (id, workspace_id, folder_id, name, full_name, label, search_key, created_at, updated_at, status,
       type, size, sha256, width, height, time)
     select ${id}, '${workspace}', null, 'IMG_' || ${text} || '.jpg',
       '${workspace}/01940000-a000-7000-8000-' || ${text} || '/IMG_' || ${text} || '.jpg', null,
       'img_' || ${text} || '.jpg', ${FIRST} + n * 1000, ${FIRST} + n * 1000, 'active', 'image/jpeg', 2000000,
       '${'5c'.repeat(32)}', 4000, 3000, null from numbers`,
  );
}
