import { expect } from 'bun:test';
import { accepted, importUrl } from '../../imports/support/imports.ts';
import { arrayAt, at, type Reply, stringAt } from '../../support/reply.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

/**
 * Settings that let imports and deliveries reach this machine, and delay every retry by a day, which is longer than any
 * test.
 */
export const patient = {
  IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
  IMPORT_RETRY_DELAYS: '86400000,86400000',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  WEBHOOK_RETRY_DELAYS: '86400000',
};

const asOperator = (world: World, send: string): Promise<Reply> => world.call(send, { token: 'operator' });

/** Returns jobs as operators see them. @param query such as `kind=import&state=waiting` */
export async function jobs(world: World, query = 'per_page=100'): Promise<readonly unknown[]> {
  const reply = await asOperator(world, `GET /jobs?${query}`);
  expect({ status: reply.status, text: reply.text }).toEqual({ status: 200, text: reply.text });
  return arrayAt(reply.json, 'data');
}

export const idsOf = (listed: readonly unknown[]): readonly string[] => listed.map((job) => stringAt(job, 'id'));

/** Returns the job with this id as operators see it; undefined if there is none. */
export const jobOf = async (world: World, id: string): Promise<unknown> =>
  (await jobs(world)).find((job) => at(job, 'id') === id);

export const retry = (world: World, id: string): Promise<Reply> => asOperator(world, `POST /jobs/${id}/retry`);

export const cancel = (world: World, id: string): Promise<Reply> => asOperator(world, `DELETE /jobs/${id}`);

/** Waits until a job is in the given state; `gone` means that the job no longer exists. */
export const untilJobIs = (world: World, id: string, state: 'waiting' | 'running' | 'failed' | 'gone'): Promise<void> =>
  until(
    `${id} is ${state}`,
    async () => {
      const job = await jobOf(world, id);
      return (job === undefined ? 'gone' : at(job, 'state')) === state;
    },
    60_000,
  );

/** Requests an import that the service accepts and then runs as a job. @returns the id of its item */
export const importLater = async (world: World, url: string): Promise<string> =>
  accepted(await importUrl(world, url)).id;
