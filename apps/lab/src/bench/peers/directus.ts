import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { collect, startProcess } from '@postshelf/harness';
import { freePort } from '@postshelf/testing/servers/free-port';
import { idOf, type Library, MULTIPART, succeed } from './peer.ts';

const TOKEN = 'postshelf-bench-peers-token';

/** Directus over SQLite and a folder, with a token of its administrator. Everything that slows it is off, except that it reads images' metadata. */
export async function startDirectus(installed: string, folder: string): Promise<Library> {
  const port = await freePort();
  const data = join(folder, 'directus');
  await mkdir(join(data, 'uploads'), { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: data,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    KEY: 'postshelf-bench-key',
    SECRET: 'postshelf-bench-secret-0123456789abcdef',
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: 'postshelf-bench',
    ADMIN_TOKEN: TOKEN,
    DB_CLIENT: 'sqlite3',
    DB_FILENAME: join(data, 'data.db'),
    STORAGE_LOCATIONS: 'local',
    STORAGE_LOCAL_ROOT: join(data, 'uploads'),
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
    // The origin of imports is on this machine.
    IMPORT_IP_DENY_LIST: '192.0.2.0',
  };
  const command = ['node', join(installed, 'node_modules/directus/cli.js')];
  const { code, stdout, stderr } = await collect([...command, 'bootstrap'], { cwd: data, env });
  if (code !== 0) throw new Error(`Directus can't be set up: ${stderr || stdout}`);
  const root = `http://127.0.0.1:${port}`;
  const running = await startProcess([...command, 'start'], {
    cwd: data,
    env,
    output: 'errors-only',
    probe: `${root}/server/ping`,
    deadline: 120_000,
  });
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const json = { ...headers, 'Content-Type': 'application/json' };
  return {
    ...running,
    field: 'file',
    upload: async (body) => {
      const multipart = { ...headers, 'Content-Type': MULTIPART };
      return idOf(await succeed(`${root}/files`, { method: 'POST', headers: multipart, body }));
    },
    async importUrl(url) {
      await succeed(`${root}/files/import`, { method: 'POST', headers: json, body: JSON.stringify({ url }) });
    },
    list: async () => void (await succeed(`${root}/files?limit=25&sort=-uploaded_on&meta=filter_count`, { headers })),
    read: async (item) => void (await succeed(`${root}/files/${item}`, { headers })),
  };
}
