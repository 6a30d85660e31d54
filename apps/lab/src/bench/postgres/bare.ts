// The baseline for the service with PostgreSQL: Bun's own server and Bun's own PostgreSQL client. A read verifies the
// same token by HMAC, reads the token's row (the token might have been revoked), and then reads the item's row. An
// import fetches the URL in the body, writes the file, syncs the file and its folder, and inserts one row.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';

const { PORT, DATABASE_URL = '', SECRET = '', FOLDER = '' } = process.env;
const sql = new SQL(DATABASE_URL, { max: 10 });
const folder = await open(FOLDER);
await sql`create table if not exists bare_imports (id uuid primary key, url text, sha256 text)`;

/** Returns the id of the token's row if the signature is right (RFC 7515 section 5.2) and the token hasn't expired. */
function tokenOf(authorization: string | null): string | null {
  const [header = '', payload = '', signature = ''] = (authorization ?? '').slice('Bearer '.length).split('.');
  const expected = createHmac('sha256', SECRET).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const { exp, jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number; jti: string };
  return exp * 1000 > Date.now() ? jti : null;
}

async function read(id: string): Promise<Response> {
  const [row] = await sql`select * from media where id = ${id}`;
  return row ? Response.json({ data: row }) : Response.json({ message: 'Not found.' }, { status: 404 });
}

async function keep(url: string): Promise<Response> {
  const { body } = await fetch(url);
  if (!body) return new Response(null, { status: 502 });
  const id = Bun.randomUUIDv7();
  const file = await open(join(FOLDER, id), 'wx');
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of body) {
    hash.update(chunk);
    await file.write(chunk);
  }
  await file.sync();
  await file.close();
  await folder.sync();
  await sql`insert into bare_imports values (${id}, ${url}, ${hash.digest('hex')})`;
  return Response.json({ data: [{ id }] }, { status: 201 });
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  async fetch(request) {
    if (request.url.endsWith('/')) return new Response('ready');
    const token = tokenOf(request.headers.get('authorization'));
    const [found] = await sql`select revoked_at from tokens where id = ${token}`;
    if (found?.revoked_at !== null) return Response.json({ message: 'No.' }, { status: 401 });
    if (request.method === 'GET') return read(request.url.slice(request.url.lastIndexOf('/') + 1));
    return keep(((await request.json()) as { readonly url: string }).url);
  },
});
