// This module reads the input of the generated clients' programs, and writes their output.

interface Item {
  readonly name: string;
  readonly label: string | null;
  readonly status: string;
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

/** The address of the API, which ends with `/v1`. */
export const base = variable('BASE');
export const token = variable('TOKEN');
export const workspace = variable('WORKSPACE');
/** The URL of an image. */
export const url = variable('PICTURE_URL');
/** The two files to upload. */
export const files = [
  new File([Buffer.from(variable('PNG'), 'base64')], 'beach.png', { type: 'image/png' }),
  new File([Buffer.from(variable('JPEG'), 'base64')], 'dunes.jpg', { type: 'image/jpeg' }),
];

/** @param rejected the number of rejected lines of an import of posts; null if the program doesn't import posts */
export function report(
  imported: readonly Item[],
  uploaded: readonly Item[],
  rejected: number | null,
  refusal: Readonly<Record<string, string[]>>,
): void {
  const shown = (items: readonly Item[]) => items.map(({ name, label, status }) => ({ name, label, status }));
  process.stdout.write(JSON.stringify({ imported: shown(imported), uploaded: shown(uploaded), rejected, refusal }));
}
