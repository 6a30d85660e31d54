import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Running, startProcess } from '@postshelf/harness';
import { freePort } from '@postshelf/testing/servers/free-port';

export interface TusServer extends Running {
  /** Makes an upload and sends the whole file in one PATCH. */
  upload(file: Bun.BunFile): Promise<void>;
}

/** Written beside the packages, where Node finds them. */
const PROGRAM = `import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';
const datastore = new FileStore({ directory: process.env.FOLDER });
new Server({ path: '/files', datastore }).listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
`;

/** tus-node-server as in its manual: a FileStore over a folder. */
export async function startTus(installed: string, folder: string): Promise<TusServer> {
  const port = await freePort();
  const [program, data] = [join(installed, 'tus.mjs'), join(folder, 'tus')];
  await mkdir(data);
  await writeFile(program, PROGRAM);
  const root = `http://127.0.0.1:${port}/files`;
  const running = await startProcess(['node', program], {
    env: { PATH: process.env.PATH, FOLDER: data, PORT: String(port) },
    output: 'errors-only',
    probe: new Request(root, { method: 'OPTIONS' }),
  });
  const tus = { 'Tus-Resumable': '1.0.0' };
  return {
    ...running,
    async upload(file) {
      const made = await fetch(root, { method: 'POST', headers: { ...tus, 'Upload-Length': String(file.size) } });
      const place = made.headers.get('location');
      if (made.status !== 201 || place === null) throw new Error(`tus made no upload: ${made.status}`);
      const headers = { ...tus, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' };
      const sent = await fetch(new URL(place, root), { method: 'PATCH', headers, body: file });
      if (sent.status !== 204) throw new Error(`tus took no file: ${sent.status}`);
    },
  };
}
