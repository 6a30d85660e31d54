// The baseline for the service: Bun's own server. It checks the HMAC and the expiry of the service's token, reads the
// item's row with one prepared statement, and returns the same JSON as the service. It has no revocation, no scopes and
// no other route.
import { Database } from 'bun:sqlite';
import { createHmac, timingSafeEqual } from 'node:crypto';

const { PORT, DATABASE, SECRET = '', ROOT = '' } = process.env;
const database = new Database(DATABASE ?? '', { readonly: true });
const find = database.prepare<Record<string, unknown>, [string]>('select * from media where id = ?');

/** Whether the signature (RFC 7515 section 5.2) and the expiry are valid. */
function isValid(authorization: string | null): boolean {
  const [header = '', payload = '', signature = ''] = (authorization ?? '').slice('Bearer '.length).split('.');
  const expected = createHmac('sha256', SECRET).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
  return exp * 1000 > Date.now();
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  fetch(request) {
    if (!isValid(request.headers.get('authorization'))) return Response.json({ message: 'No.' }, { status: 401 });
    const row = find.get(request.url.slice(request.url.lastIndexOf('/') + 1));
    if (!row) return Response.json({ message: 'Not found.' }, { status: 404 });
    const { id, name, full_name, label, status, error_message, size, width, height, time, folder_id } = row;
    const link = `${ROOT}/files/${full_name}`;
    const fields = { id, name, full_name, label, link, status, error_message, size, width, height, time, folder_id };
    return Response.json({ data: { ...fields, thumbnail: null } });
  },
});
