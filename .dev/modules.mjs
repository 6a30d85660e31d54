// `npm run modules`: counts and lists the modules of this repository that run when a small JPEG is uploaded as
// multipart/form-data, and when it is imported from a URL. The server uses SQLite and stores files in a folder. The
// inspector of a real server reports how often each block of code has run. A module counts only if it runs in each of
// ten rounds, because some modules run only when a timer fires. This script runs in Bun.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fromSource, makeWorkspace, startProcess } from '../packages/harness/src/index.ts';
import { freePort } from '../packages/testing/src/servers/free-port.ts';

/** Number of rounds. A module that runs only when a timer fires is unlikely to run in all of them. */
const ROUNDS = 10;

const root = join(import.meta.dirname, '..');
const { default: sharp } = await import(Bun.resolveSync('sharp', join(root, 'apps', 'lab')));
const create = { width: 64, height: 64, channels: 3, background: '#369' };
const photo = await sharp({ create }).jpeg().toBuffer();

const folder = mkdtempSync(join(tmpdir(), 'postshelf-modules-'));
const { command, cwd, environment } = fromSource();
const origin = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(photo) });
const [port, inspector] = [await freePort(), await freePort()];
const settings = {
  ...environment,
  DATA_DIR: join(folder, 'data'),
  PORT: String(port),
  IMPORT_ALLOWED_NETWORKS: '127.0.0.0/8',
  RATE_LIMIT: undefined,
};
const [bun, ...main] = command;
let server;
try {
  const url = `http://127.0.0.1:${port}`;
  const debugged = [bun, `--inspect-wait=ws://127.0.0.1:${inspector}/modules`, ...main, 'serve'];
  const starting = startProcess(debugged, { cwd, env: settings, probe: `${url}/health` });
  const counts = await inspect(`ws://127.0.0.1:${inspector}/modules`);
  server = await starting;
  const { workspace, token } = await makeWorkspace(settings, { name: 'Modules' });
  const send = async (headers, body) => {
    const target = `${url}/v1/workspaces/${workspace}/media_contents`;
    const answer = await fetch(target, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, ...headers },
      body,
    });
    if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`);
    await answer.text();
  };
  const upload = () => {
    const form = new FormData();
    form.append('files[]', new Blob([photo]), 'photo.jpg');
    return send({}, form);
  };
  const importUrl = () =>
    send({ 'Content-Type': 'application/json' }, JSON.stringify({ url: `${origin.url}photo.jpg` }));
  const ranDuring = async (work) => {
    const before = await counts();
    await work();
    const after = await counts();
    return [...after].filter(([file, count]) => count > (before.get(file) ?? 0)).map(([file]) => file);
  };
  for (const [name, work] of Object.entries({ 'a multipart upload': upload, 'an import': importUrl })) {
    await work();
    let always = await ranDuring(work);
    for (let round = 1; round < ROUNDS; round += 1) {
      const ran = new Set(await ranDuring(work));
      always = always.filter((file) => ran.has(file));
    }
    const packages = Object.entries(Object.groupBy(always, (file) => file.split('/')[1]));
    const shares = packages.map(([title, files]) => `${title} ${files.length}`).join(', ');
    console.log(`${always.length} modules run for ${name} (${shares}):\n  ${always.sort().join('\n  ')}`);
  }
} finally {
  await server?.end();
  origin.stop(true);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Connects to the inspector.
 * @returns a function that returns, for each of our modules, the total number of times that its basic blocks have run
 */
async function inspect(address) {
  const socket = await connect(address);
  const waiting = new Map();
  const files = new Map();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(data);
    if (method === 'Debugger.scriptParsed') files.set(params.scriptId, params.url);
    if (error) waiting.get(id)?.reject(new Error(JSON.stringify(error)));
    else waiting.get(id)?.resolve(result);
  };
  const call = (method, params = {}) => {
    last += 1;
    socket.send(JSON.stringify({ id: last, method, params }));
    const answer = Promise.withResolvers();
    waiting.set(last, answer);
    return answer.promise;
  };
  for (const method of [
    'Inspector.enable',
    'Runtime.enable',
    'Debugger.enable',
    'Runtime.enableControlFlowProfiler',
    'Inspector.initialized',
  ])
    await call(method);
  return async () => {
    const counts = new Map();
    for (const [sourceID, file] of files) {
      if (!file.startsWith(root) || file.includes('node_modules')) continue;
      const { basicBlocks } = await call('Runtime.getBasicBlocks', { sourceID });
      counts.set(
        relative(root, file),
        basicBlocks.reduce((sum, { executionCount }) => sum + executionCount, 0),
      );
    }
    return counts;
  };
}

/** Connects to the inspector as soon as the process listens. */
async function connect(address) {
  for (;;) {
    const socket = new WebSocket(address);
    const isOpen = await new Promise((resolve) =>
      Object.assign(socket, { onopen: () => resolve(true), onerror: () => resolve(false) }),
    );
    if (isOpen) return socket;
    await Bun.sleep(20);
  }
}
