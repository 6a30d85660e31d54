import {
  fail,
  type Lease,
  type MediaContent,
  type StagedObject,
  type TemporaryMedia,
  type UploadTicket,
  wrongBytes,
  wrongSize,
} from '@postshelf/domain';
import { type Making, makeActive } from '../storing/make-active.ts';
import type { ConfirmPorts } from './confirm-upload.ts';

/**
 * Looks at what was uploaded for an item whose lease the caller holds, and ends its being `temporary`: `active` where the
 * bytes are what was announced, else `failed`. `nothing` when no file has come.
 */
export async function settleUpload(
  ports: ConfirmPorts,
  item: TemporaryMedia,
  lease: () => Lease,
): Promise<'settled' | 'nothing'> {
  const ticket = await ports.presigned.find(item.id);
  if (!ticket) return 'settled';
  const upload = await ports.uploads.take(item.id);
  if (!upload) return 'nothing';
  try {
    const read = await readUpload(ports, ticket, upload);
    if ('problem' in read) await reject(ports, item, lease(), read.problem);
    else await keep(ports, item, lease, upload, read.content);
  } finally {
    await upload.discard();
  }
  // Published or refused, the upload itself has served; a crash before this leaves it to garbage collection.
  await ports.uploads.remove(item.id);
  return 'settled';
}

async function readUpload(
  ports: ConfirmPorts,
  ticket: UploadTicket,
  upload: StagedObject,
): Promise<{ readonly content: MediaContent } | { readonly problem: string }> {
  const { size, sha256 } = upload;
  if (size !== ticket.size) return { problem: wrongSize(size, ticket.size) };
  const facts = await ports.inspector.inspect(upload);
  if (facts?.type !== ticket.type) return { problem: wrongBytes(ticket.type) };
  return { content: { ...facts, size, sha256 } };
}

async function reject(ports: ConfirmPorts, item: TemporaryMedia, { owner }: Lease, problem: string): Promise<void> {
  const now = ports.clock.now();
  await ports.presigned.finish(item.id, owner, (current) => ({ item: fail(current, problem, now), cover: null }));
}

async function keep(
  ports: ConfirmPorts,
  item: TemporaryMedia,
  lease: () => Lease,
  upload: StagedObject,
  content: MediaContent,
): Promise<void> {
  const { owner } = lease();
  const making: Making<TemporaryMedia> = {
    item,
    // How often a confirmation was begun isn't counted.
    mayHaveLeftOver: true,
    async hold() {
      const held = lease();
      const isHeld = await ports.presigned.claim(item.id, held, ports.clock.now());
      // A lease that ended before the answer came counts as lost: somebody may have confirmed meanwhile.
      return isHeld && ports.clock.now() < held.until;
    },
    finish: (decide) => ports.presigned.finish(item.id, owner, decide),
  };
  await makeActive(ports, making, { object: upload, content });
}
