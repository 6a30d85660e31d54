import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { networkOf } from '@postshelf/domain/readiness/network';
import { textLength } from '@postshelf/domain/readiness/text-limits';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { NetworkIcon } from '../../networks/network-icon.tsx';
import { Problems } from '../../readiness/problems.tsx';
import { targetName } from '../../readiness/target-name.ts';
import { VERDICTS, VerdictTable } from '../../readiness/verdict-table.tsx';
import { client } from '../../service/service.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';

interface NetworkReadinessProps {
  /** The network of the post's profile. */
  readonly network: string;
  readonly media: readonly string[];
}

/** Shows, for each of the network's targets, whether the target accepts the post's media. */
export function NetworkReadiness({ network, media }: NetworkReadinessProps) {
  const { id: workspace } = useWorkspace();
  const { data, error } = useQuery({
    queryKey: ['readiness of a post', workspace, media],
    queryFn: ({ signal }) => client.trpc.readiness.set.mutate({ workspace, media_content_ids: [...media] }, { signal }),
    enabled: media.length > 0,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
  if (media.length === 0) return null;
  const found = data?.data.filter(({ target }) => target.split('.')[0] === networkOf(network));
  if (found?.length === 0) return null;
  return (
    <VerdictTable
      id="post-readiness"
      className="composer-readiness"
      error={error}
      rows={found?.map((one) => (
        <tr key={one.target} data-verdict={one.verdict}>
          <th scope="row">
            <NetworkIcon network={network} /> {targetName(one.target)}
          </th>
          <td>
            <span className="readiness-verdict">{VERDICTS[one.verdict]}</span>
            <Problems found={one} isOpen={one.verdict === 'not_ready'} />
          </td>
        </tr>
      ))}
    />
  );
}

/** Shows the length of the text, and the network's maximum. */
export function TextCount({ network, text }: { readonly network: string; readonly text: string }) {
  const measured = textLength(network, text);
  if (!measured) return null;
  const { length, max } = measured;
  return (
    <p className="text-count" data-over={length > max || undefined}>
      {formatNumber(length)} of {formatNumber(max)} characters
      <span role="status">{length > max && `, ${formatNumber(length - max)} too many for ${network}`}</span>
    </p>
  );
}
