// This program uses orval with its fetch client.
import { foldersCreate, mediaImportUrl, mediaUpload } from './generated/orval/api.ts';
import { files, report, token, url, workspace } from './given.ts';

const options = { headers: { Authorization: `Bearer ${token}` } };
const asJson = { headers: { ...options.headers, 'Content-Type': 'application/json' } };

const imported = await mediaImportUrl(workspace, { url, label: 'Web' }, asJson);
const uploaded = await mediaUpload(workspace, { 'files[]': files, label: 'Own' }, options);
const refused = await foldersCreate(workspace, { name: '' }, options);

if (imported.status !== 201 && imported.status !== 202) throw new Error(imported.data.message);
if (uploaded.status !== 201) throw new Error(uploaded.data.message);
if (refused.status !== 422) throw new Error('It was not refused.');
// The generated client sends text as JSON, so a plain `fetch` imports the posts.
report(imported.data.data, uploaded.data.data, null, refused.data.errors);
