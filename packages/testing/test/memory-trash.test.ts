import { describeTrash } from '../src/contracts/garbage/trash.ts';
import { memoryBacking, memoryStorage } from '../src/fakes/memory-storage.ts';
import { memoryTrash } from '../src/fakes/memory-trash.ts';

describeTrash('the memory trash', async () => {
  const backing = memoryBacking();
  return {
    storage: memoryStorage({ backing }),
    one: memoryTrash(backing),
    two: memoryTrash(backing),
    close: async () => undefined,
  };
});
