import { madeMetrics, metricsOf } from '../ledger/ledger.ts';
import { textAt } from '../support/json.ts';
import { newKey, type Scene } from './scene.ts';

const DAY = 24 * 60 * 60 * 1000;
const FIRST_DAY = Date.UTC(2026, 0, 1);

export async function createPost(scene: Scene): Promise<void> {
  const { api, asker, ledger, profile, random } = scene;
  const number = ledger.number();
  const metrics = madeMetrics(number);
  const record = ledger.addPost(
    String(number),
    metricsOf((name) => metrics[name]),
  );
  const published = new Date(FIRST_DAY + random.below(30 * DAY)).toISOString();
  const body = { profile, external_id: record.externalId, published_at: published, metrics };
  const key = newKey(scene);
  await asker.ask({
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

export async function updateMetrics({ api, asker, ledger, random }: Scene): Promise<void> {
  const record = random.pickIfAny([...ledger.posts.values()].filter(({ id }) => id !== null));
  if (!record) return;
  const metrics = madeMetrics(ledger.number());
  record.isTouched = true;
  await asker.ask({
    kind: 'metrics',
    about: { post: record.externalId, metrics },
    writes: [record.metrics.begin(metricsOf((name) => metrics[name]))],
    send: () => api.call('PUT', `/posts/${record.id}/metrics`, metrics),
    done: [200],
  });
}
