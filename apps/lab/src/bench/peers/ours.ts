import { join } from 'node:path';
import { compiled, jsonCommand, startProcess } from '@postshelf/harness';
import { freePort } from '@postshelf/testing/servers/free-port';
import { idOf, type Library, MULTIPART, succeed } from './peer.ts';

/**
 * The program as one file with default settings, except that the origin of imports is allowed and previews are made on
 * request, as Directus makes them.
 */
export async function startOurs(binary: string, folder: string): Promise<Library> {
  const { environment, ...program } = compiled(binary);
  const port = await freePort();
  const env = {
    ...environment,
    DATA_DIR: join(folder, 'ours'),
    PORT: String(port),
    IMPORT_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  await jsonCommand(['migrate'], env, { ...program, environment });
  const { id } = await jsonCommand(['workspace', 'create', '--name', 'Peers'], env, { ...program, environment });
  const issued = await jsonCommand(['token', 'create', '--workspace', `${id}`], env, { ...program, environment });
  const root = `http://127.0.0.1:${port}`;
  const running = await startProcess([...program.command, 'serve'], {
    cwd: program.cwd,
    env,
    output: 'errors-only',
    probe: `${root}/health`,
  });
  const headers = { Authorization: `Bearer ${issued.token}` };
  const files = `${root}/v1/workspaces/${id}/media_contents`;
  return {
    ...running,
    field: 'files[]',
    upload: async (body) =>
      idOf(await succeed(files, { method: 'POST', headers: { ...headers, 'Content-Type': MULTIPART }, body })),
    async importUrl(url) {
      const body = JSON.stringify({ url });
      await succeed(files, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body });
    },
    list: async () => void (await succeed(`${files}?per_page=25`, { headers })),
    read: async (item) => void (await succeed(`${root}/v1/media_contents/${item}`, { headers })),
  };
}
