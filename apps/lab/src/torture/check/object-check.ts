import { startStopwatch } from '@postshelf/harness';
import type { Deployment } from '../deployments/deployment.ts';
import type { Api } from '../load/api.ts';
import { textAt } from '../support/json.ts';
import { hold } from '../violation.ts';
import { readRows } from './rows.ts';

/** Milliseconds between two polls of the rows. */
const PAUSE = 250;

/**
 * Makes the service check all objects now, which it usually does once a week, while no client sends requests: it must
 * find one for each item that is active or in the trash.
 *
 * @param timeout milliseconds that it may take
 * @throws Violation
 */
export async function haveObjectsChecked(deployment: Deployment, operator: Api, timeout: number): Promise<void> {
  const { objectCheck: before } = await readRows(deployment);
  const { json } = await operator.get('/jobs?kind=check');
  const asked = await operator.call('POST', `/jobs/${textAt(json, 'data', 0, 'id')}/retry`);
  hold(asked?.status === 202, 'The check of objects is refused.', { asked });
  using stopwatch = startStopwatch();
  for (;;) {
    const { media, trashed, objectCheck, jobs } = await readRows(deployment);
    if (objectCheck && objectCheck.finishedAt !== before?.finishedAt) {
      const wanted = [...media, ...trashed].filter(({ status }) => status === 'active').length;
      const isTrue = objectCheck.checked === wanted && objectCheck.missing === 0;
      return hold(isTrue, 'The check of objects says what isn’t so.', { objectCheck, wanted });
    }
    hold(stopwatch.elapsed() < timeout, 'The check of objects doesn’t end.', { jobs });
    await Bun.sleep(PAUSE);
  }
}
