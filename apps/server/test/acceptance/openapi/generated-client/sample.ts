import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

type MediaItem = components['schemas']['MediaContentResource'];

/** A client of strangers: types by openapi-typescript, calls by openapi-fetch, and nothing of ours. */
export function strangersClient(baseUrl: string, token: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  return {
    async upload(workspace: string, files: readonly Blob[], label: string): Promise<MediaItem[]> {
      const { data, error } = await client.POST('/workspaces/{workspace}/media_contents', {
        params: { path: { workspace } },
        // The generator has no type for a file and calls it a string; the form knows better.
        body: { 'files[]': files as readonly unknown[] as string[], label },
        bodySerializer: toForm,
      });
      if (error) throw new Error(error.message);
      return data.data;
    },

    async importUrl(workspace: string, url: string): Promise<MediaItem> {
      const { data, error } = await client.POST('/workspaces/{workspace}/media_contents', {
        params: { path: { workspace } },
        body: { url },
      });
      if (error) throw new Error(error.message);
      const [item] = data.data;
      if (!item) throw new Error('No item.');
      return item;
    },

    async poll(id: string): Promise<MediaItem> {
      const { data, error } = await client.GET('/media_contents/{id}', { params: { path: { id } } });
      if (error) throw new Error(error.message);
      return data.data;
    },

    async list(workspace: string, status: MediaItem['status']) {
      const { data, error } = await client.GET('/workspaces/{workspace}/media_contents', {
        params: { path: { workspace }, query: { status, per_page: 1 } },
      });
      if (error) throw new Error(error.message);
      return { ids: data.data.map(({ id }) => id), total: data.meta.total, next: data.links.next };
    },

    /** The failing fields of a folder without a name. */
    async refused(workspace: string): Promise<Readonly<Record<string, string[]>>> {
      const { error, response } = await client.POST('/workspaces/{workspace}/media_library/folders', {
        params: { path: { workspace } },
        body: { name: '' },
      });
      if (response.status !== 422 || !error || !('errors' in error)) throw new Error('It was not refused.');
      return error.errors;
    },
  };
}

function toForm(body: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    for (const part of Array.isArray(value) ? value : [value]) form.append(name, part);
  }
  return form;
}

/** Never called: what the types must refuse. */
export async function wrong(): Promise<void> {
  const client = createClient<paths>();
  // @ts-expect-error There is no such path.
  await client.GET('/media');
  // @ts-expect-error The id is missing.
  await client.GET('/media_contents/{id}', {});
  const path = { workspace: '' };
  // @ts-expect-error There is no such status.
  await client.GET('/workspaces/{workspace}/media_contents', { params: { path, query: { status: 'x' } } });
  // @ts-expect-error A folder has a name.
  await client.POST('/workspaces/{workspace}/media_library/folders', { params: { path }, body: {} });
}
