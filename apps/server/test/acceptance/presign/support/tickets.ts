import { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { join } from 'node:path';
import type { World } from '../../support/world.ts';

/**
 * Lets a time pass for an upload by changing its row in the database: nobody waits a day for a test, and the service has
 * no setting for its clock. What the client holds stays as it was signed.
 *
 * @param column `expires_at`: when its address expired; `lease_until`: until when a confirmation counts as under way
 * @param time milliseconds since the epoch
 */
export function setTime({ dataDir }: World, id: string, column: 'expires_at' | 'lease_until', time: number): void {
  const database = new Database(join(dataDir, 'postshelf.db'));
  try {
    database.run('pragma busy_timeout = 5000');
    const whole = Math.floor(time / 1000) * 1000;
    const { changes } = database.run(`update presigned_uploads set ${column} = ? where media_id = ?`, [whole, id]);
    expect(changes).toBe(1);
  } finally {
    database.close();
  }
}
