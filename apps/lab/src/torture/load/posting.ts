import { madeMetrics, metricsOf } from '../ledger/ledger.ts';
import { textAt } from '../support/json.ts';
import { type LoadContext, newKey } from './load-context.ts';

const DAY = 24 * 60 * 60 * 1000;
const FIRST_DAY = Date.UTC(2026, 0, 1);

export async function createPost(context: LoadContext): Promise<void> {
  const { api, requester, ledger, profile, random } = context;
  const number = ledger.number();
  const metrics = madeMetrics(number);
  const record = ledger.addPost(
    String(number),
    metricsOf((name) => metrics[name]),
  );
  const published = new Date(FIRST_DAY + random.below(30 * DAY)).toISOString();
  const body = { profile, external_id: record.externalId, published_at: published, metrics };
  const key = newKey(context);
  await requester.ask({
    kind: 'create post',
    about: { post: record.externalId },
    writes: [record.exists.begin(true)],
    send: () => api.call('POST', `/workspaces/${api.workspace}/posts`, body, key),
    done: [201],
    take: ({ json }) => {
      record.id = textAt(json, 'data', 'id');
    },
  });
}

export async function updateMetrics({ api, requester, ledger, random }: LoadContext): Promise<void> {
  const record = random.pickIfAny([...ledger.posts.values()].filter(({ id }) => id !== null));
  if (!record) return;
  const metrics = madeMetrics(ledger.number());
  record.isTouched = true;
  await requester.ask({
    kind: 'metrics',
    about: { post: record.externalId, metrics },
    writes: [record.metrics.begin(metricsOf((name) => metrics[name]))],
    send: () => api.call('PUT', `/posts/${record.id}/metrics`, metrics),
    done: [200],
  });
}
