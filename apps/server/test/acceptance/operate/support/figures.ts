import type { World } from '../../support/world.ts';

/** What `/metrics` says: each series (`name{label="value"}`) and its value. */
export async function figures(world: World, headers: Readonly<Record<string, string>> = {}) {
  const reply = await world.call('GET /metrics', { token: null, headers });
  if (reply.status !== 200) throw new Error(`/metrics answered ${reply.status}: ${reply.text}`);
  const lines = reply.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))] as const;
    }),
  );
}

/** The name of a counter of requests. */
export const requests = (method: string, route: string, status: number): string =>
  `postshelf_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
