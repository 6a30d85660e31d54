import { describeStorageMarker } from '../src/contracts/library/storage-marker.ts';
import { type MemoryMark, memoryMarker } from '../src/fakes/memory-marker.ts';

describeStorageMarker('memory', async () => {
  const backing: MemoryMark = { mark: null };
  return {
    one: memoryMarker(backing),
    two: memoryMarker(backing),
    spoil: async () => {
      backing.mark = 'unreadable';
    },
    close: async () => {},
  };
});
