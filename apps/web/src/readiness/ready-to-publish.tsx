import type { MediaItem } from '@postshelf/client';
import { useQuery } from '@tanstack/react-query';
import { canFit } from '../fit/can-fit.ts';
import { FitButton } from '../fit/fit-button.tsx';
import type { FitChoice } from '../fit/fit-dialog.tsx';
import { NetworkIcon } from '../networks/network-icon.tsx';
import { trpc } from '../service/service.ts';
import { CheckLink } from './check-link.tsx';
import { Problems, type Readiness } from './problems.tsx';
import { targetName } from './target-name.ts';
import { rulesQuery } from './use-verdicts.ts';
import { VERDICTS, VerdictTable } from './verdict-table.tsx';

export interface ReadyToPublishProps {
  readonly item: MediaItem;
  /** Called with the new items that are being created from this item for targets. */
  onMade(made: readonly MediaItem[]): void;
}

/** Shows whether networks accept the item: problems and remedies for each target. */
export function ReadyToPublish({ item, onMade }: ReadyToPublishProps) {
  // A file never changes, so its readiness is final once its details have been read from the file.
  const isKnown = Boolean(item.details?.image ?? item.details?.video);
  const { data, error } = useQuery({
    ...trpc.readiness.item.queryOptions({ id: item.id }),
    ...(isKnown && { staleTime: 60_000 }),
  });
  // The choices include targets that accept the item as it is, because users may still want to convert it to another
  // aspect ratio.
  const choices = (data?.data ?? [])
    .filter((found) => found.verdict !== 'not_ready' || canFit(item, found))
    .map(({ target }) => ({ target, name: targetName(target) }));
  return (
    <VerdictTable
      id="readiness"
      error={error}
      rows={data?.data.map((found) => (
        <Row key={found.target} item={item} found={found} choices={choices} onMade={onMade} />
      ))}
    >
      <CheckLink item={item} />
    </VerdictTable>
  );
}

interface RowProps extends ReadyToPublishProps {
  readonly found: Readiness;
  readonly choices: readonly FitChoice[];
}

function Row({ item, found, choices, onMade }: RowProps) {
  const name = targetName(found.target);
  const { data: rules } = useQuery(rulesQuery);
  const other = rules?.onlyOtherKind(found.target, item) ?? null;
  return (
    <tr data-verdict={other === null ? found.verdict : 'other_kind'}>
      <th scope="row">
        <NetworkIcon network={found.target.split('.')[0] ?? ''} />
        {name}
      </th>
      <td>
        <span className="readiness-verdict">{other ?? VERDICTS[found.verdict]}</span>
        <Problems found={found} isOpen={found.verdict === 'not_ready' && other === null} />
        <FitButton item={item} found={found} name={name} choices={choices} onMade={onMade} />
      </td>
    </tr>
  );
}
