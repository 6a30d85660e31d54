import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';

/** Where an open item stands: how to close it, and to open another in its place; the filters of the address stay. */
export function useItemPlace() {
  const navigate = useNavigate();
  const router = useRouter();
  const search = useSearch({ from: '/library' });
  return {
    close(): void {
      const { folder, ...filters } = search;
      if (folder === undefined) void navigate({ to: '/', search: filters });
      else void navigate({ to: '/folders/$folder', params: { folder }, search: filters });
    },
    hrefOf: (item: string): string => router.buildLocation({ to: '/media/$item', params: { item }, search }).href,
    open(item: string): void {
      void navigate({ to: '/media/$item', params: { item }, search });
    },
  };
}
