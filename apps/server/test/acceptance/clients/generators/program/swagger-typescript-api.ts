// This program uses swagger-typescript-api with its fetch client.
import {
  Api,
  type HttpResponse,
  type MediaUpload,
  type ValidationErrorBody,
} from './generated/swagger-typescript-api/api.ts';
import { base, files, report, token, url, workspace } from './given.ts';

const { workspaces } = new Api({
  baseUrl: base,
  baseApiParams: { headers: { Authorization: `Bearer ${token}` } },
});

const imported = await workspaces.mediaImportUrl(workspace, { url, label: 'Web' });
// The generated client would send a list as JSON, but sends form data unchanged.
const form = new FormData();
for (const file of files) form.append('files[]', file);
form.append('label', 'Own');
const uploaded = await workspaces.mediaUpload(workspace, form as unknown as MediaUpload);
const refused = await workspaces.foldersCreate(workspace, { name: '' }).then(
  () => null,
  (response: HttpResponse<unknown, ValidationErrorBody>) => response.error,
);

if (!refused) throw new Error('It was not refused.');
// The generated client sends text as JSON, so a plain `fetch` imports the posts.
report(imported.data.data, uploaded.data.data, null, refused.errors);
