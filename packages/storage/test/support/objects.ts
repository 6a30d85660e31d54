import type { ObjectStorage, StagedObject } from '@postshelf/domain';
import { Refusal } from '@postshelf/domain';

export const WORKSPACE = '01890a5d-ac96-774b-bcce-b302099a8057';
export const ITEM = '01890a5d-ac96-774b-bcce-b302099a8058';
export const KEY = `${WORKSPACE}/${ITEM}/photo.jpg`;

export async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

export const stageText = (storage: ObjectStorage, text: string): Promise<StagedObject> =>
  storage.stage(bodyOf(text), { limit: 1000 });

export async function publishText(storage: ObjectStorage, key: string, text: string): Promise<void> {
  const staged = await stageText(storage, text);
  await staged.publish(key);
}

/** The object as text; null when there is none. */
export async function readText(storage: ObjectStorage, key: string): Promise<string | null> {
  const stored = await storage.open(key);
  return stored && new Response(stored.body()).text();
}

/** The message of the refusal `unavailable` that the work ends with; fails when it ends otherwise. */
export async function unavailableMessage(work: Promise<unknown>): Promise<string> {
  const outcome = await work.catch((error: unknown) => error);
  if (!(outcome instanceof Refusal) || outcome.problem.code !== 'unavailable') {
    throw new Error('Not refused as unavailable.', { cause: outcome });
  }
  if (!outcome.cause) throw new Error('The refusal lost its cause.');
  return outcome.problem.message;
}
