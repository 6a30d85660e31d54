import type { FieldErrors } from '@postshelf/client';
import type { ReactNode } from 'react';
import { profileNetwork } from '../readiness/target-name.ts';
import { DateField } from '../ui/date-field.tsx';
import { Select } from '../ui/select.tsx';
import type { PostFilterSearch } from './filter-search.ts';
import { useProfiles } from './use-profiles.ts';

export interface PostFiltersProps {
  /** The label of the option for all profiles. */
  readonly everyProfile: string;
  readonly search: PostFilterSearch;
  /** The dates that apply if the URL has none. */
  readonly shown?: { readonly from: string; readonly to: string } | undefined;
  readonly errors: FieldErrors;
  readonly hasDates?: boolean;
  /** Additional fields, before the dates. */
  readonly children?: ReactNode;
  onChange(name: keyof PostFilterSearch, value: string): void;
}

/** Filters of posts: profile and dates. */
export function PostFilters({
  everyProfile,
  search,
  shown,
  errors,
  hasDates = true,
  children,
  onChange,
}: PostFiltersProps) {
  const { profiles, isKnown } = useProfiles();
  const { profile = '' } = search;
  const isMissing = profile !== '' && !profiles.some(({ id }) => id === profile);
  const options = [
    { value: '', label: everyProfile },
    ...profiles.map(({ id, name, network }) => ({ value: id, label: `${name} (${profileNetwork(network)})` })),
    ...(isMissing ? [{ value: profile, label: isKnown ? 'Unknown profile' : '…' }] : []),
  ];
  return (
    <>
      <Select
        label="Profile"
        value={profile}
        options={options}
        error={errors.profile?.join(' ')}
        onChange={(value) => onChange('profile', value)}
      />
      {children}
      {hasDates && (
        <>
          <DateField
            label="From"
            value={dateIn(search.from) ?? shown?.from ?? ''}
            error={errors.from?.join(' ')}
            onChange={(value) => onChange('from', value)}
          />
          <DateField
            label="To"
            value={dateIn(search.to) ?? shown?.to ?? ''}
            error={errors.to?.join(' ')}
            onChange={(value) => onChange('to', value)}
          />
        </>
      )}
    </>
  );
}

/** Returns the date in a URL parameter, which may also be a time. */
const dateIn = (text: string | undefined): string | undefined => /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0];

/** Whether a filter is invalid, so that its field shows the error. */
export const isFilterRefused = ({ profile, from, to }: FieldErrors): boolean =>
  [profile, from, to].some((sentences) => sentences !== undefined);
