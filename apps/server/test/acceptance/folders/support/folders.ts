import { expect } from 'bun:test';
import { uuid } from '../../support/shapes.ts';

export const folders = '/workspaces/{workspace}/media_library/folders';
export const create = `POST ${folders}`;

/** The complete response to the creation of a folder. */
export function created(name: string, parent: string | null = null) {
  return { data: { id: expect.stringMatching(uuid), name, parent_id: parent }, message: expect.any(String) };
}
