import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { profileNetwork } from '../readiness/target-name.ts';
import { client, fieldErrorsOf, queryClient, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { useProfiles } from './use-profiles.ts';

export interface ProfileFieldProps {
  readonly value: string;
  readonly error?: string | undefined;
  readonly isFixed?: boolean;
  onChange(profile: string): void;
}

/** Lets the user choose the profile of posts, or create one. */
export function ProfileField({ value, error, isFixed, onChange }: ProfileFieldProps) {
  const { profiles, isKnown } = useProfiles();
  const [isAdding, setIsAdding] = useState(false);
  const options = profiles.map(({ id, name, network }) => ({
    value: id,
    label: `${name} (${profileNetwork(network)})`,
  }));
  const nothing = { value: '', label: isKnown ? 'Choose a profile' : '…' };
  return (
    <div className="profile-field">
      <Select
        label="Profile"
        value={options.some((option) => option.value === value) ? value : ''}
        options={[nothing, ...options]}
        error={error}
        isDisabled={isFixed ?? false}
        onChange={onChange}
      />
      {!isFixed && !isAdding && <Button onPress={() => setIsAdding(true)}>New profile</Button>}
      {isAdding && (
        <NewProfile
          onMade={(profile) => {
            setIsAdding(false);
            onChange(profile);
          }}
        />
      )}
    </div>
  );
}

function NewProfile({ onMade }: { onMade(profile: string): void }) {
  const { id: workspace } = useWorkspace();
  const [name, setName] = useState('');
  const [network, setNetwork] = useState('');
  const adding = useMutation({
    mutationFn: () => client.trpc.profiles.create.mutate({ workspace, name, network }),
    async onSuccess({ data }) {
      await queryClient.invalidateQueries({ queryKey: ['profiles', workspace] });
      onMade(data.id);
    },
  });
  const errors = fieldErrorsOf(adding.error);
  const isBeside = errors.name !== undefined || errors.network !== undefined;
  // Enter would otherwise submit the form of the post, with the profile that was chosen before.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (!adding.isPending) adding.mutate();
  };
  return (
    <fieldset className="post-fields" onKeyDown={onKeyDown}>
      <legend>New profile</legend>
      <TextField label="Profile name" value={name} onChange={setName} error={errors.name?.join(' ')} autoFocus />
      <TextField
        label="Network"
        value={network}
        onChange={setNetwork}
        description="For example, instagram."
        error={errors.network?.join(' ')}
      />
      {adding.error && !isBeside && <p role="alert">{sentenceOf(adding.error)}</p>}
      <Button isPending={adding.isPending} onPress={() => adding.mutate()}>
        Add profile
      </Button>
    </fieldset>
  );
}
