import { afterEach, expect, test } from 'bun:test';
import { issueToken } from '@postshelf/application';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { createOperationsHere, namedOperations, type RawInput } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { startApi } from '../support/service.ts';

afterEach(databases.closeAll);

const operations = new Map(namedOperations);

async function start() {
  const api = await startApi();
  const here = createOperationsHere({ ...api.service, peerOf: () => null });
  const run = (name: string, raw: RawInput): Promise<unknown> => {
    const operation = operations.get(name);
    if (!operation) throw new Error(name);
    return here.run(operation, raw);
  };
  return { ...api, here, run };
}

const dataOf = (answer: unknown): Readonly<Record<string, unknown>> => Object(answer).data;

test('a command may access every workspace, and its audit log entry has no token, person or address', async () => {
  const { ports, here, run } = await start();
  const other = await addWorkspace(ports);
  const made = await run('folders.create', { workspace: other.id, name: 'Here' });
  expect(made).toMatchObject({ data: { name: 'Here' }, version: 1 });
  await here.close();
  const { items } = await ports.audit.list({ from: 0 }, { offset: 0, limit: 10 });
  const nobody = { tokenId: null, personId: null, address: null };
  expect(items).toEqual([
    expect.objectContaining({ ...nobody, action: 'folders.create', workspaceId: other.id, subjectId: dataOf(made).id }),
  ]);
});

test('a command is refused if its if_match is not the current version', async () => {
  const { workspace, run } = await start();
  const { id } = dataOf(await run('folders.create', { workspace: workspace.id, name: 'A' }));
  const change = (name: string, if_match: unknown) => run('folders.update', { folder: id, name, if_match });
  expect(await change('B', 1)).toMatchObject({ version: 2 });
  expect(await thrownBy(change('C', 1))).toMatchObject({ problem: { code: 'changed', version: 2 } });
  expect(await thrownBy(change('C', 'x'))).toMatchObject({ problem: { code: 'invalid' } });
});

test('a command may grant every role, and an item that it creates has no creator', async () => {
  const { ports, workspace, run } = await start();
  await run('people.create', { workspace: workspace.id, name: 'Ada', role: 'manager' });
  const files = [{ name: 'a.jpg', size: 5, mime: 'image/jpeg' }];
  await run('media.presign', { workspace: workspace.id, files });
  const { items } = await ports.media.list(workspace.id, {}, { offset: 0, limit: 10 });
  expect(items.map(({ item }) => item.createdBy)).toEqual([null]);
});

test("only commands can list, rotate and revoke operators' tokens", async () => {
  const { ports, workspace, tokenWith, send, run } = await start();
  const { token } = await issueToken(ports, { name: 'op', scopes: ['operator'], workspaceIds: [], lifetime: 60_000 });
  expect(dataOf(await run('tokens.list', { name: 'op' }))).toMatchObject([{ id: token.id }]);
  expect(await run('tokens.rotate', { id: token.id })).toMatchObject({ data: { name: 'op', scopes: ['operator'] } });
  const Authorization = `Bearer ${await tokenWith({ scopes: ['operator'], workspaceIds: [workspace.id] })}`;
  expect((await send('DELETE', `/v1/tokens/${token.id}`, undefined, { Authorization })).status).toBe(404);
  expect(await run('tokens.delete', { id: token.id })).toBeNull();
});
