import { seedBytes } from '../bytes/bytes.ts';
import type { Client } from './client.ts';

interface Made {
  readonly data: { readonly id: string };
}

interface Presigned {
  readonly data: readonly { readonly id: string; readonly upload_url: string }[];
}

/**
 * Starts a resumable upload without sending any bytes.
 *
 * @returns the id of the upload
 */
async function beginResumable(client: Client, home: string): Promise<string> {
  const headers = {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': '1000000',
    'Upload-Metadata': 'filename YS5wbmc=',
  };
  const response = await client.call('POST', `${home}/uploads`, undefined, headers);
  return response.headers.get('location')?.split('/').at(-1) ?? '';
}

/**
 * Makes a few items of every kind.
 *
 * @returns the ids and paths that replace `{{name}}` in a case
 */
export async function fillLibrary(client: Client, workspace: string): Promise<Readonly<Record<string, string>>> {
  const home = `/v1/workspaces/${workspace}`;
  const post = async <T>(path: string, body: object): Promise<T> => client.must<T>('POST', `${home}${path}`, body);
  const folder = await post<Made>('/media_library/folders', { name: 'Summer' });
  const profile = await post<Made>('/profiles', { name: 'Beach club', network: 'instagram' });
  const photo = await client.upload(workspace, seedBytes('jpeg.jpg'));
  const video = await client.upload(workspace, seedBytes('mp4-short.mp4'));
  const media = photo.data[0]?.id ?? '';
  const trashed = (await client.upload(workspace, seedBytes('png.png'))).data[0]?.id ?? '';
  await client.call('DELETE', `/v1/media_contents/${trashed}`);
  const made = await post<Made>('/posts', {
    profile: profile.data.id,
    published_at: '2026-01-31T18:30:00Z',
    external_id: 'first',
    media_content_ids: [media],
  });
  const size = seedBytes('png.png').length;
  const file = { name: 'later.png', size, mime: 'image/png' };
  const presigned = await post<Presigned>('/media_contents/presign', { files: [file] });
  const upload = new URL(presigned.data[0]?.upload_url ?? '');
  const webhook = await post<Made>('/webhooks', { url: 'http://127.0.0.1:9/' });
  const delivery = await client.must<Made>('POST', `/v1/webhooks/${webhook.data.id}/test`, {});
  const calendar = await post<{ readonly data: { readonly id: string; readonly url: string } }>('/calendars', {});
  const feed = new URL(calendar.data.url);
  const zipped = await post<{ readonly data: { readonly link: string } }>('/media_contents/zip', { ids: [media] });
  const archive = new URL(zipped.data.link);
  return {
    folder: folder.data.id,
    profile: profile.data.id,
    post: made.data.id,
    webhook: webhook.data.id,
    delivery: delivery.data.id,
    calendar: calendar.data.id,
    feed: feed.pathname + feed.search,
    archive: archive.pathname + archive.search,
    media,
    trashed,
    resumable: await beginResumable(client, home),
    video: video.data[0]?.id ?? '',
    temporary: presigned.data[0]?.id ?? '',
    link: `/files/${photo.data[0]?.full_name.split('/').map(encodeURIComponent).join('/')}`,
    upload: upload.pathname + upload.search,
  };
}
