import { describeStorageMarker, type MemoryMark, memoryMarker } from '@postshelf/testing';

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
