import type { World } from '../../support/world.ts';

/** The series of `/metrics` (`name{label="value"}`) and their values. */
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

/** The series that counts requests with this method, route and status. */
export const requests = (method: string, route: string, status: number): string =>
  `postshelf_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
