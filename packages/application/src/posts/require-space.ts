import { Refusal } from '@postshelf/domain';
import { hasDatabaseSpace } from '../database-space.ts';
import type { Ports } from '../ports.ts';

/** Checks that the database's disk has space for a batch of posts. @throws Refusal `storage_low` */
export async function requireSpace(ports: Pick<Ports, 'databaseSpace'>): Promise<void> {
  if (await hasDatabaseSpace(ports)) return;
  throw new Refusal({ code: 'storage_low', message: 'The disk is low on space and cannot accept anything new.' });
}
