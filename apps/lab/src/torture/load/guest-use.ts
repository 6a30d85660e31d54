import { status } from '@postshelf/harness/answers';
import type { GuestRecord } from '../ledger/guest.ts';
import { listAt, textAt } from '../support/json.ts';
import { type Answer, Api } from './api.ts';
import { CAN_FIT } from './fitting.ts';
import { type LoadContext, newContent, newKey } from './load-context.ts';
import { answerWith } from './origin-behaviour.ts';

type Use = (context: LoadContext, guest: GuestRecord, api: Api) => Promise<unknown>;

/** Sends a random request in a guest's workspace, so that removing it has to delete all kinds of rows and jobs. */
export async function useGuest(context: LoadContext): Promise<void> {
  const { ledger, random, api } = context;
  const guest = random.pickIfAny([...ledger.guests.values()].filter(({ token, exists }) => token && exists.is(true)));
  if (!guest?.id || guest.token === null) return;
  await random.pick(USES)(context, guest, new Api(api.root, guest.id, guest.token));
}

/**
 * Sends a request within a guest's workspace. If the removal of the workspace begins before or during the request, the
 * service may answer that the token is refused (401) or that nothing is found (404), or fail with 500.
 *
 * @param isDeleted whether the requested item may have been deleted
 */
function askOf(
  { requester }: LoadContext,
  guest: GuestRecord,
  kind: string,
  send: () => Promise<Answer | null>,
  isDeleted = () => false,
): Promise<Answer | null> {
  const wasRemoved = guest.exists.allows(false);
  return requester.ask({
    kind: `guest: ${kind}`,
    about: { guest: guest.name },
    writes: [],
    send,
    done: [200, 201, 202, 204],
    mayRefuse: ({ status }) =>
      ([401, 404, 500].includes(status) && (wasRemoved || guest.exists.allows(false))) ||
      (status === 404 && isDeleted()),
  });
}

const nameOf = (number: number): string => `guest-item-${number}`;

const upload: Use = async (context, guest, api) => {
  const form = new FormData();
  for (let left = context.random.whole(1, 8); left > 0; left -= 1) {
    const content = newContent(context, 15);
    const bytes = Buffer.from(context.contents.bytesOf(content));
    form.append('files[]', new Blob([bytes]), `${nameOf(content.number)}.${content.extension}`);
  }
  const path = `/workspaces/${guest.id}/media_contents`;
  const answer = await askOf(context, guest, 'upload', () => api.call('POST', path, form));
  for (const item of answer ? listAt(answer.json, 'data') : []) guest.items.add(textAt(item, 'id'));
};

const importFrom = (
  context: LoadContext,
  guest: GuestRecord,
  api: Api,
  behaviour: 'plain' | 'slow',
  videos: number,
) => {
  const content = newContent(context, videos);
  const { url } = context.origin.page('file', answerWith(context.contents, content, behaviour));
  const body = { url, name: nameOf(content.number) };
  return askOf(context, guest, 'import', () => api.call('POST', `/workspaces/${guest.id}/media_contents`, body));
};

const importSlowly: Use = (context, guest, api) => importFrom(context, guest, api, 'slow', 40);

/**
 * Number of videos. Their covers exceed the number that may wait for a slot, so the remaining covers have to be made by
 * jobs.
 */
const VIDEOS = 26;

const importVideos: Use = (context, guest, api) =>
  Promise.all(Array.from({ length: VIDEOS }, () => importFrom(context, guest, api, 'plain', 100)));

const fit: Use = async (context, guest, api) => {
  const original = context.random.pickIfAny([...guest.items]);
  if (original === undefined || !CAN_FIT) return;
  const ask = () => api.call('POST', `/media_contents/${original}/fit`, { target: 'x.post' });
  await askOf(context, guest, 'fit', ask, () => !guest.items.has(original));
};

const remove: Use = async (context, guest, api) => {
  const item = context.random.pickIfAny([...guest.items]);
  if (item === undefined) return;
  guest.items.delete(item);
  await askOf(context, guest, 'delete', () => api.call('DELETE', `/media_contents/${item}`));
};

const presign: Use = (context, guest, api) => {
  const files = [{ name: `${nameOf(context.ledger.number())}.jpg`, size: 9, mime: 'image/jpeg' }];
  const path = `/workspaces/${guest.id}/media_contents/presign`;
  return askOf(context, guest, 'presign', () => api.call('POST', path, { files }));
};

const createFolder: Use = (context, guest, api) => {
  const path = `/workspaces/${guest.id}/media_library/folders`;
  const body = { name: `folder ${context.ledger.number()}` };
  return askOf(context, guest, 'create folder', () => api.call('POST', path, body, newKey(context)));
};

const createPost: Use = async (context, guest, api) => {
  const number = context.ledger.number();
  const profiles = `/workspaces/${guest.id}/profiles`;
  const answer = await askOf(context, guest, 'create profile', () =>
    api.call('POST', profiles, { name: `profile ${number}`, network: 'rack' }),
  );
  if (!answer) return;
  const body = {
    profile: textAt(answer.json, 'data', 'id'),
    external_id: String(number),
    published_at: '2026-01-31T18:30:00Z',
    metrics: { likes: 12 },
  };
  await askOf(context, guest, 'create post', () => api.call('POST', `/workspaces/${guest.id}/posts`, body));
};

/** Creates a webhook whose receiver accepts anything. */
const createWebhook: Use = (context, guest, api) => {
  const { url } = context.origin.page('webhook', status(204));
  return askOf(context, guest, 'create webhook', () => api.call('POST', `/workspaces/${guest.id}/webhooks`, { url }));
};

const USES: readonly Use[] = [
  ...[upload, upload, upload, importSlowly, importVideos, importVideos, fit, remove, presign],
  ...[createFolder, createPost, createWebhook],
];
