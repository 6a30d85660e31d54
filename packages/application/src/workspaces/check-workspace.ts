import { invalid, isTimeZone, readFolderName } from '@postshelf/domain';

/** Workspaces are named by the same rule as folders. @throws Refusal `invalid` on the field */
export function checkName(field: string, text: string): string {
  const read = readFolderName(text);
  if ('problem' in read) throw invalid(field, `The ${field.replace('_', ' ')} field ${read.problem}`);
  return read.name;
}

/** An IANA name. @throws Refusal `invalid` on `timezone` */
export function checkTimeZone(timezone: string): string {
  if (!isTimeZone(timezone)) throw invalid('timezone', `There is no time zone ${JSON.stringify(timezone)}.`);
  return timezone;
}
