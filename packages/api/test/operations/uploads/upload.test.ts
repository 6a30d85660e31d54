import { afterAll, expect, test } from 'bun:test';
import { fakeFile } from '@postshelf/testing/fakes';
import { databases } from '../../support/databases.ts';
import { startApi } from '../../support/service.ts';

afterAll(databases.closeAll);

test('an upload whose staged file cannot be discarded succeeds, and the failure is reported', async () => {
  const stays = new Error('The staged name stays.');
  const { ports, reported, send, workspace } = await startApi();
  const stage = ports.storage.stage.bind(ports.storage);
  ports.storage.stage = async (...given) =>
    Object.assign(await stage(...given), { discard: () => Promise.reject(stays) });
  const form = new FormData();
  form.append(
    'files[]',
    new File([new Uint8Array(fakeFile({ type: 'image/png', width: 4, height: 3, time: null }))], 'a.png'),
  );
  const { status } = await send('POST', `/v1/workspaces/${workspace.id}/media_contents`, form);
  expect(status).toBe(201);
  expect(reported).toContain(stays);
});
