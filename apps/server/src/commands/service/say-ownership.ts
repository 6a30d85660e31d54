import type { Composition } from '../../compose/compose.ts';
import type { Logger } from '../../telemetry/log/log.ts';

/** Tells the operator what a start found out about the library that isn't as it was. */
export function sayOwnership({ ownership, ports }: Pick<Composition, 'ownership' | 'ports'>, log: Logger): void {
  if (ownership === null) return;
  const { library, isMarkedNow, isOlderCopy } = ownership;
  const told = { library: library.id, ...ports.locations };
  if (isMarkedNow) log.info(told, 'the storage is marked as the media of this library');
  if (isOlderCopy) {
    log.error(
      told,
      'the database is an older copy than the one that worked with these media last: no object without a row is taken for garbage until somebody runs postshelf gc --yes-really',
    );
  }
}
