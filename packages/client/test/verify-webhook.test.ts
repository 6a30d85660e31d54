import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { thrownBy } from '@postshelf/testing/outcomes';
import { verifyWebhook, type WebhookRequest } from '../src/index.ts';

/** The test vector of the specification's reference libraries. */
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const AT = 1_614_265_330;
const BODY = '{"test": 2432232314}';
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

beforeEach(() => setSystemTime(new Date(AT * 1000)));
afterEach(() => setSystemTime());

const headers = (changed: Readonly<Record<string, string>> = {}) => ({
  'webhook-id': ID,
  'webhook-timestamp': String(AT),
  'webhook-signature': SIGNATURE,
  ...changed,
});

const sent = (changed: Readonly<Record<string, string>> = {}, body = BODY) =>
  new Request('http://127.0.0.1/', { method: 'POST', headers: headers(changed), body });

function sign(body: string, secret: string, { id = ID, at = AT } = {}): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
}

describe('verifyWebhook', () => {
  const requests: readonly (readonly [string, WebhookRequest])[] = [
    ['a Request', sent()],
    ["node:http's headers with the bytes of the body", { headers: headers(), body: Buffer.from(BODY) }],
    [
      'an object of headers in upper and lower case',
      { headers: { 'Webhook-Id': ID, 'WEBHOOK-TIMESTAMP': String(AT), 'Webhook-Signature': SIGNATURE }, body: BODY },
    ],
    ['Headers with the text of the body', { headers: new Headers(headers()), body: BODY }],
    ['one of several signatures', sent({ 'webhook-signature': `${sign(BODY, OTHER)} v1a,x ${SIGNATURE}` })],
  ];
  test.each(requests)('accepts %s', async (_, request) => {
    expect(await verifyWebhook(request, SECRET)).toEqual({ test: 2432232314, id: ID } as never);
  });

  test('accepts any of several secrets, with the prefix or without', async () => {
    await verifyWebhook(sent(), [OTHER, SECRET.replace('whsec_', '')]);
  });

  test('accepts text beyond ASCII', async () => {
    const body = '{"type":"media.updated","data":{"name":"Zoë 🏖"}}';
    const event = await verifyWebhook(sent({ 'webhook-signature': sign(body, SECRET) }, body), SECRET);
    expect(event.data).toEqual({ name: 'Zoë 🏖' } as never);
  });

  test('accepts a time up to five minutes early or late', async () => {
    for (const seconds of [-300, 300]) {
      setSystemTime(new Date((AT + seconds) * 1000));
      await verifyWebhook(sent(), SECRET);
    }
  });
});

describe('verifyWebhook', () => {
  const late = AT - 301;
  const requests: readonly (readonly [string, WebhookRequest, (string | readonly string[])?])[] = [
    ['another body', sent({}, `${BODY} `)],
    ['another id', sent({ 'webhook-id': 'msg_other' })],
    ['another time', sent({ 'webhook-timestamp': String(AT + 1) })],
    ['another secret', sent(), OTHER],
    ['no secret at all', sent(), []],
    [
      'a request that is too old',
      sent({ 'webhook-timestamp': String(late), 'webhook-signature': sign(BODY, SECRET, { at: late }) }),
    ],
    ['a time that is not a number', sent({ 'webhook-timestamp': 'NaN' })],
    ['another version of the signature', sent({ 'webhook-signature': SIGNATURE.replace('v1', 'v2') })],
    ['a truncated signature', sent({ 'webhook-signature': SIGNATURE.slice(0, -8) })],
    ['an empty signature', sent({ 'webhook-signature': 'v1,' })],
    ['a signature that is not base64', sent({ 'webhook-signature': 'v1,§' })],
    ['no headers', { headers: {}, body: BODY }],
    ['a repeated header', { headers: { ...headers(), 'webhook-id': [ID, ID] }, body: BODY }],
    ['an empty secret, with which anyone could sign', sent({ 'webhook-signature': sign(BODY, '') }), ''],
    ['a secret that is not base64', sent(), 'whsec_§'],
    ['a signed body that is not an event', sent({ 'webhook-signature': sign('null', SECRET) }, 'null')],
  ];
  test.each(requests)('refuses %s', async (_, request, secret = SECRET) => {
    expect(await thrownBy(verifyWebhook(request, secret))).toMatchObject({ code: 'unverified', status: 0 });
  });
});
