// This program uses oazapfts, whose functions return status and data.
import { defaults, foldersCreate, mediaImportUrl, mediaUpload, postsImport } from './generated/oazapfts.ts';
import { base, files, report, token, url, workspace } from './given.ts';

defaults.baseUrl = base;
defaults.headers = { Authorization: `Bearer ${token}` };

const imported = await mediaImportUrl(workspace, { url, label: 'Web' });
const uploaded = await mediaUpload(workspace, { 'files[]': files, label: 'Own' });
// oazapfts sends text without a content type.
const lines = await postsImport(workspace, '{}\n', { headers: { 'Content-Type': 'application/x-ndjson' } });
const refused = await foldersCreate(workspace, { name: '' });

if (imported.status !== 201 && imported.status !== 202) throw new Error(imported.data.message);
if (uploaded.status !== 201) throw new Error(uploaded.data.message);
if (lines.status !== 200) throw new Error(lines.data.message);
if (refused.status !== 422) throw new Error('It was not refused.');
report(imported.data.data, uploaded.data.data, lines.data.data.rejected, refused.data.errors);
