// openapi-typescript generates the types of this program, and openapi-fetch sends its requests.
import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-typescript.ts';
import { base, files, report, token, url, workspace } from './given.ts';

const client = createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${token}` } });
const params = { path: { workspace } };

const imported = await client.POST('/workspaces/{workspace}/media_contents', { params, body: { url, label: 'Web' } });
const uploaded = await client.POST('/workspaces/{workspace}/media_contents#files', {
  params,
  // openapi-typescript has no type for files, and declares them as strings. The form data gets the real files.
  body: { 'files[]': files as readonly unknown[] as string[], label: 'Own' },
  bodySerializer: (body) => {
    const form = new FormData();
    for (const file of body['files[]']) form.append('files[]', file);
    if (body.label) form.append('label', body.label);
    return form;
  },
});
const lines = await client.POST('/workspaces/{workspace}/posts/import', {
  params,
  body: '{}\n',
  bodySerializer: (body) => body,
  headers: { 'Content-Type': 'application/x-ndjson' },
});
const refused = await client.POST('/workspaces/{workspace}/media_library/folders', { params, body: { name: '' } });

if (!imported.data || !uploaded.data || !lines.data) throw new Error('A call failed.');
if (!refused.error || !('errors' in refused.error)) throw new Error('It was not refused.');
report(imported.data.data, uploaded.data.data, lines.data.data.rejected, refused.error.errors);

/** This function is never called. It checks that the types refuse invalid calls. */
export async function wrong(): Promise<void> {
  // @ts-expect-error There is no such path.
  await client.GET('/media');
  // @ts-expect-error The id is missing.
  await client.GET('/media_contents/{id}', {});
  // @ts-expect-error There is no such status.
  await client.GET('/workspaces/{workspace}/media_contents', { params: { ...params, query: { status: 'x' } } });
  // @ts-expect-error A folder has a name.
  await client.POST('/workspaces/{workspace}/media_library/folders', { params, body: {} });
}
