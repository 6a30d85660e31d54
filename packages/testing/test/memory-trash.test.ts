import { describeTrash, memoryBacking, memoryStorage, memoryTrash } from '../src/index.ts';

describeTrash('the memory trash', async () => {
  const backing = memoryBacking();
  return {
    storage: memoryStorage({ backing }),
    one: memoryTrash(backing),
    two: memoryTrash(backing),
    close: async () => undefined,
  };
});
