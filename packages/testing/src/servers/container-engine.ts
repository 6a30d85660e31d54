/** Whether servers are started in containers even if their programs are on this machine (`npm run test:containers`). */
export const wantsContainers = (): boolean => process.env.POSTSHELF_TEST_CONTAINERS === '1';

/** Whether a container engine answers on this machine. */
export async function hasContainerEngine(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}
