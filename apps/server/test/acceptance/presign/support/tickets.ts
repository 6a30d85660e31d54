import { expect } from 'bun:test';
import type { World } from '../../support/world.ts';

/**
 * Lets a time pass for an upload by changing its row in the database: nobody waits a day for a test, and the service has
 * no setting for its clock. What the client holds stays as it was signed.
 *
 * @param column `expires_at`: when its address expired; `lease_until`: until when a confirmation counts as under way
 * @param time milliseconds since the epoch
 */
export async function setTime(
  { database }: World,
  id: string,
  column: 'expires_at' | 'lease_until',
  time: number,
): Promise<void> {
  const whole = Math.floor(time / 1000) * 1000;
  const changed = await database.change(`update presigned_uploads set ${column} = ${whole} where media_id = '${id}'`);
  expect(changed).toBe(1);
}
