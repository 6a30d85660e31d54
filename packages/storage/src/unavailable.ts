import { Refusal } from '@postshelf/domain';

/** Returns the refusal of a storage that can't be used at the moment. @param cause for the log, without secrets */
export function storageUnavailable(cause: unknown, isFull = false): Refusal {
  const message = isFull ? 'The storage is full.' : 'The storage is unavailable.';
  return new Refusal({ code: 'unavailable', message }, { cause });
}
