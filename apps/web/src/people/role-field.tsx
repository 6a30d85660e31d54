import { Select } from '../ui/select.tsx';
import { ROLES, type Role } from './roles.ts';

interface RoleFieldProps {
  readonly value: Role;
  readonly roles: readonly Role[];
  readonly error: string | undefined;
  onChange(role: Role): void;
}

/** Chooses one of the roles, and describes what it allows. */
export const RoleField = ({ value, roles, error, onChange }: RoleFieldProps) => (
  <div className="people-role">
    <Select
      label="Role"
      value={value}
      options={roles.map((role) => ({ value: role, label: ROLES[role].label }))}
      error={error}
      onChange={onChange}
    />
    <p role="status">{ROLES[value].hint}</p>
  </div>
);
