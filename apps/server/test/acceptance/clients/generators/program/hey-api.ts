// This program uses @hey-api/openapi-ts with its fetch client.
import { client } from './generated/hey-api/client.gen.ts';
import { foldersCreate, mediaImportUrl, mediaUpload, postsImport } from './generated/hey-api/index.ts';
import { base, files, report, token, url, workspace } from './given.ts';

client.setConfig({ baseUrl: base, auth: token });
const path = { workspace };

const imported = await mediaImportUrl({ path, body: { url, label: 'Web' }, throwOnError: true });
const uploaded = await mediaUpload({ path, body: { 'files[]': files, label: 'Own' }, throwOnError: true });
// The default serializer would send text as JSON.
const lines = await postsImport({ path, body: '{}\n', bodySerializer: null, throwOnError: true });
const { error } = await foldersCreate({ path, body: { name: '' } });

if (!error || !('errors' in error)) throw new Error('It was not refused.');
report(imported.data.data, uploaded.data.data, lines.data.data.rejected, error.errors);
