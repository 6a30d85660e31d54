import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { client } from '../../service/service.ts';
import { useNotify } from '../../ui/notices.tsx';
import { useCopyText } from '../../ui/use-copy-text.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';

/** Days for which signed links are valid: a week, the service's maximum. */
const SIGNED_DAYS = 7;

/** Maximum number of links per call, as in the service. */
const IN_A_CALL = 100;

/**
 * Returns a function that copies the links of items, one per line. In workspaces with signed links, they are signed
 * links that are valid for a week.
 */
export function useCopyLinks(): (items: readonly MediaItem[]) => Promise<void> {
  const notify = useNotify();
  const copyText = useCopyText();
  const { id: workspace, links } = useWorkspace();
  return async (items) => {
    const ready = items.filter(({ status }) => status === 'active');
    if (ready.length === 0) {
      notify({ text: 'None of the items has a file yet.' });
      return;
    }
    const copied = links === 'signed' ? signedLinks(workspace, ready) : ready.map(({ link }) => link).join('\n');
    const waiting = items.length - ready.length;
    const text = [
      `${ready.length === 1 ? 'Link' : plural(ready.length, 'link')} copied.`,
      links === 'signed' && `${ready.length === 1 ? 'It works' : 'They work'} for ${SIGNED_DAYS} days.`,
      waiting > 0 && `${plural(waiting, 'item')} ${waiting === 1 ? 'has' : 'have'} no file yet.`,
    ];
    await copyText(copied, text.filter(Boolean).join(' '));
  };
}

/** Returns signed links to the items, one per line. */
async function signedLinks(workspace: string, items: readonly MediaItem[]): Promise<string> {
  const signed: string[] = [];
  for (let from = 0; from < items.length; from += IN_A_CALL) {
    const ids = items.slice(from, from + IN_A_CALL).map(({ id }) => id);
    const expires_in = SIGNED_DAYS * 24 * 60 * 60;
    const { data } = await client.trpc.links.createMany.mutate({ workspace, ids, expires_in });
    signed.push(...data.map(({ link }) => link));
  }
  return signed.join('\n');
}
