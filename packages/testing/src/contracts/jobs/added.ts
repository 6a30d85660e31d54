import type { JobKind, Uuid } from '@postshelf/domain';
import { addFit, addImport } from '../job-samples.ts';
import { newId, sampleImage, sampleVideo } from '../samples.ts';
import type { Stores } from '../stores.ts';
import { addDelivery, addWebhook } from '../webhooks/samples.ts';

/** Adds a job of a kind through the change that requires it, and returns its subject. */
export const ADDED: { readonly [Kind in JobKind]: (of: Stores, workspaceId: Uuid, dueAt: number) => Promise<Uuid> } = {
  import: async (of, workspaceId, dueAt) => (await addImport(of, workspaceId, { start: { dueAt } })).id,
  fit: (of, workspaceId, dueAt) => addFit(of, workspaceId, { dueAt }),
  async cover({ media }, workspaceId, dueAt) {
    const video = sampleVideo(workspaceId, { updatedAt: dueAt });
    await media.insert([video], [video.id]);
    return video.id;
  },
  async preview({ media }, workspaceId, dueAt) {
    const image = sampleImage(workspaceId, { updatedAt: dueAt });
    await media.insert([image]);
    return image.id;
  },
  async delivery(of, workspaceId, dueAt) {
    const webhook = await addWebhook(of, workspaceId);
    await addDelivery(of, webhook, dueAt);
    return webhook.id;
  },
  async check({ objectChecks }, _workspaceId, dueAt) {
    const libraryId = newId();
    await objectChecks.schedule(libraryId, dueAt);
    return libraryId;
  },
  async removal({ workspaces }, workspaceId, dueAt) {
    await workspaces.beginRemoval(workspaceId, dueAt);
    return workspaceId;
  },
};
