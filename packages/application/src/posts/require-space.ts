import { Refusal } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** Checks that the database's disk has space for a batch of posts. @throws Refusal `storage_low` */
export async function requireSpace({ databaseSpace }: Pick<Ports, 'databaseSpace'>): Promise<void> {
  if (databaseSpace === null || (await databaseSpace.has(0))) return;
  throw new Refusal({ code: 'storage_low', message: 'The disk is low on space and cannot accept anything new.' });
}
