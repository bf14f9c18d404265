import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import {
  type Answer,
  assertError,
  forEachEngine,
  type Service,
  START,
  startService,
} from '../support/harness.ts';

const PATH = '/sdk/v1/waitlist/webhooks/verify';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NOW_SECONDS = START / 1000;
const PAYLOAD_MAX = 1_048_576;

interface Delivery {
  payload: string;
  headers: { id: string; timestamp: string; signature: string };
  webhookSecret: string;
}

/** A delivery signed by the Standard Webhooks library. */
function signed(payload: string, { secret = SECRET, at = NOW_SECONDS, id = 'msg_1' } = {}): Delivery {
  const signature = new Webhook(secret).sign(id, new Date(at * 1000), payload);
  return { payload, headers: { id, timestamp: String(at), signature }, webhookSecret: secret };
}

/** Every character as a \u escape: six bytes for one. */
function fullyEscaped(delivery: Delivery): string {
  const escaped = (text: string) =>
    `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;
  return JSON.stringify({ ...delivery, payload: '@' }).replace('"@"', () => escaped(delivery.payload));
}

const objectOfBytes = (bytes: number) => `{"pad":"${'x'.repeat(bytes - '{"pad":""}'.length)}"}`;

// The endpoint touches no database: the engines differ only in that the service stands on them.
forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const sendRaw = (rawBody: string) =>
    service.request('POST', PATH, { headers: { 'content-type': 'application/json' }, rawBody });
  const assertVerified = (answer: Answer, event?: unknown) => {
    assert.equal(answer.status, 200, answer.text.slice(0, 500));
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(answer.body, event === undefined ? { verified: true } : { verified: true, event });
  };
  const assertFailed = (answer: Answer, reason: string) => {
    assert.equal(answer.status, 200, answer.text.slice(0, 500));
    assert.deepEqual(answer.body, { verified: false, reason });
  };

  describe('POST /webhooks/verify', () => {
    describe('what verifies', () => {
      it('is a delivery that the Standard Webhooks library signed', async () => {
        const event = { event: 'signup.created', id: 'evt_1', data: { entry: { email: 'ada@example.com' } } };
        assertVerified(await service.verify(signed(JSON.stringify(event))), event);
      });

      it('is the published vector of the Standard Webhooks specification', async () => {
        const at = 1_614_265_330;
        const past = await startService(engine, { startAt: at * 1000 });
        try {
          const answer = await past.verify({
            payload: '{"test": 2432232314}',
            headers: {
              id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
              timestamp: String(at),
              signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
            },
            webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
          });
          assertVerified(answer, { test: 2432232314 });
        } finally {
          await past.close();
        }
      });

      it('is a payload of any text, exactly as received', async () => {
        const event = { event: 'x', text: 'ünïcode 🎉 \u2028 "quoted" \\ \n' };
        assertVerified(await service.verify(signed(JSON.stringify(event, null, 2))), event);
        const spaced = `  {"event" : "x"}\r\n`;
        assertVerified(await service.verify(signed(spaced)), { event: 'x' });
        assertFailed(
          await service.verify({ ...signed(spaced), payload: spaced.trim() }),
          'signature_mismatch',
        );
      });

      it('is a payload that is not a JSON object, without an event', async () => {
        const texts = [
          '',
          'plain text',
          '[1,2]',
          '"text"',
          '7',
          'null',
          'true',
          '{',
          '{"a":1}}',
          'ünïcode 🎉',
        ];
        for (const payload of texts) assertVerified(await service.verify(signed(payload)));
      });

      it('is an event with field names that are special in JavaScript', async () => {
        const payload = '{"__proto__":{"admin":true},"constructor":{"prototype":1},"toJSON":"x","event":"e"}';
        const answer = await service.verify(signed(payload));
        assert.equal(answer.status, 200);
        assert.deepEqual(JSON.parse(answer.text).event, JSON.parse(payload));
        assert.equal(({} as { admin?: boolean }).admin, undefined);
      });

      it('is an event with numbers that a double cannot hold, returned as they were signed', async () => {
        const { status, text } = await service.verify(signed('{"id": 12345678901234567890, "n": 1e999}'));
        assert.equal(status, 200);
        assert.equal(text, '{"verified":true,"event":{"id": 12345678901234567890, "n": 1e999}}');
      });

      it('is an event nested as deep as a payload can be', async () => {
        for (const depth of [1_000, 100_000, 500_000]) {
          const answer = await service.verify(signed(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`));
          assert.equal(answer.status, 200, `${depth}: ${answer.text.slice(0, 200)}`);
          assert.equal((answer.body as { verified: boolean }).verified, true);
        }
      });

      it('is a delivery with one valid signature among others', async () => {
        const delivery = signed('{"event":"x"}');
        const { signature } = delivery.headers;
        const other = new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`).sign(
          'msg_1',
          new Date(START),
          '{}',
        );
        const lists = [
          `${other} ${signature}`,
          `${signature} ${other}`,
          `v1a,abc v2,xyz ${signature}`,
          `junk ${'v1,AAAA '.repeat(500)}${signature}`,
          `  ${signature}  `,
          `${signature} v1,`,
        ];
        for (const list of lists) {
          const answer = await service.verify({
            ...delivery,
            headers: { ...delivery.headers, signature: list },
          });
          assertVerified(answer, { event: 'x' });
        }
      });

      it('is a delivery with any id, even an empty one or one with dots', async () => {
        for (const id of ['', 'a.b.c', 'ü', 'x'.repeat(2_000)]) {
          assertVerified(await service.verify(signed('{"n":1}', { id })), { n: 1 });
        }
      });

      it('is a delivery signed with a secret of any length', async () => {
        for (const bytes of [1, 16, 24, 64, 100]) {
          const secret = `whsec_${Buffer.alloc(bytes, 9).toString('base64')}`;
          assertVerified(await service.verify(signed('{}', { secret })), {});
        }
      });
    });

    describe('what does not verify', () => {
      it('is another secret, another payload, another id or another time', async () => {
        const delivery = signed('{"event":"x"}');
        const { headers } = delivery;
        const forged: Delivery[] = [
          { ...delivery, webhookSecret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` },
          { ...delivery, payload: '{"event":"y"}' },
          { ...delivery, payload: '' },
          { ...delivery, headers: { ...headers, id: 'msg_2' } },
          { ...delivery, headers: { ...headers, timestamp: String(NOW_SECONDS + 1) } },
          { ...delivery, headers: { ...headers, timestamp: `0${NOW_SECONDS}` } },
          { ...delivery, headers: { ...headers, signature: `v1,${Buffer.alloc(32).toString('base64')}` } },
        ];
        for (const each of forged) assertFailed(await service.verify(each), 'signature_mismatch');
      });

      it('is an invalid secret', async () => {
        const delivery = signed('{}');
        const bare = SECRET.slice('whsec_'.length);
        const junk = [
          '',
          'whsec_',
          bare,
          `WHSEC_${bare}`,
          'whsec_!!!',
          'whsec_ü',
          'whsec_ab cd',
          `whsec_${bare}\n`,
          'whsec_====',
        ];
        junk.push('whsec_A', 'x'.repeat(100_000));
        for (const webhookSecret of junk) {
          assertFailed(await service.verify({ ...delivery, webhookSecret }), 'invalid_secret');
        }
      });

      it('is a signature list without a usable v1 entry', async () => {
        const delivery = signed('{}');
        const [, digest = ''] = delivery.headers.signature.split(',');
        const unusable = [
          '',
          ' ',
          'v1',
          'v1,',
          'v1,AAAA',
          `v1a,${digest}`,
          `v2,${digest}`,
          digest,
          `V1,${digest}`,
          'x'.repeat(100_000),
        ];
        for (const signature of unusable) {
          const answer = await service.verify({ ...delivery, headers: { ...delivery.headers, signature } });
          assertFailed(answer, 'invalid_signature');
        }
      });

      it('is an invalid timestamp', async () => {
        const delivery = signed('{}');
        const junk = [
          '',
          ' ',
          'now',
          '-1',
          '1.5',
          '1e9',
          `${NOW_SECONDS} `,
          `+${NOW_SECONDS}`,
          '9'.repeat(16),
          '9'.repeat(400),
          'NaN',
        ];
        for (const timestamp of junk) {
          const answer = await service.verify({ ...delivery, headers: { ...delivery.headers, timestamp } });
          assertFailed(answer, 'invalid_timestamp');
        }
      });

      it('is a time more than 300 seconds in the past or future; exactly 300 is accepted', async () => {
        const at = async (seconds: number) => service.verify(signed('{}', { at: NOW_SECONDS + seconds }));
        assertVerified(await at(-300), {});
        assertVerified(await at(300), {});
        assertFailed(await at(-301), 'timestamp_too_old');
        assertFailed(await at(301), 'timestamp_too_new');
        assertFailed(await service.verify(signed('{}', { at: 0 })), 'timestamp_too_old');
        assertFailed(await service.verify(signed('{}', { at: 99_999_999_999 })), 'timestamp_too_new');
      });

      it('never causes a server error, whatever the three values are', async () => {
        const values = ['', ' ', '.', ',', 'v1,', 'whsec_', '💥', '\u00ff'.repeat(50), '{}', 'null'];
        for (const value of values) {
          const delivery = {
            payload: value,
            headers: { id: value, timestamp: value, signature: value },
            webhookSecret: value,
          };
          const answer = await service.verify(delivery);
          assert.equal(answer.status, 200);
          assert.equal((answer.body as { verified: boolean }).verified, false);
        }
      });
    });

    describe('limits', () => {
      it('accepts a payload of 1,048,576 bytes and rejects one byte more with 400, plain and fully escaped', async () => {
        const largest = signed(objectOfBytes(PAYLOAD_MAX));
        const larger = signed(objectOfBytes(PAYLOAD_MAX + 1));
        const message = 'payload: is larger than 1048576 bytes';
        assertVerified(await service.verify(largest), JSON.parse(largest.payload));
        assertError(await service.verify(larger), 400, 'invalid_request', message);
        assertVerified(await sendRaw(fullyEscaped(largest)), JSON.parse(largest.payload));
        assertError(await sendRaw(fullyEscaped(larger)), 400, 'invalid_request', message);
      });

      it('counts bytes of UTF-8, not characters', async () => {
        const payload = 'é'.repeat(PAYLOAD_MAX / 2);
        assertVerified(await service.verify(signed(payload)));
        assertError(await service.verify(signed(`${payload}x`)), 400, 'invalid_request', /^payload: /);
        const emoji = '🎉'.repeat(PAYLOAD_MAX / 4);
        assertVerified(await sendRaw(fullyEscaped(signed(emoji))));
      });

      it('answers 400, not 413, to a body that is too large to read', async () => {
        const huge = JSON.stringify(signed('x'.repeat(9 * 1024 * 1024)));
        assertError(await sendRaw(huge), 400, 'invalid_request', /^payload: /);
        assertVerified(await service.verify(signed('{"next":true}')), { next: true });
      });
    });

    describe('malformed requests', () => {
      it('names each missing field', async () => {
        assertError(
          await service.verify({}),
          400,
          'invalid_request',
          'payload: is required; headers: is required; webhookSecret: is required',
        );
        assertError(
          await service.verify({ ...signed('{}'), headers: {} }),
          400,
          'invalid_request',
          'headers.id: is required; headers.timestamp: is required; headers.signature: is required',
        );
        for (const field of ['payload', 'headers', 'webhookSecret']) {
          const { [field]: _, ...rest } = { ...signed('{}') } as Record<string, unknown>;
          assertError(await service.verify(rest), 400, 'invalid_request', `${field}: is required`);
        }
      });

      it('names each field of the wrong type', async () => {
        const good = signed('{}');
        const wrong: [unknown, string][] = [
          [{ ...good, payload: {} }, 'payload: must be a string'],
          [{ ...good, payload: null }, 'payload: must be a string'],
          [{ ...good, webhookSecret: 7 }, 'webhookSecret: must be a string'],
          [{ ...good, headers: [] }, 'headers: must be an object'],
          [{ ...good, headers: 'text' }, 'headers: must be an object'],
          [
            { ...good, headers: { ...good.headers, timestamp: NOW_SECONDS } },
            'headers.timestamp: must be a string',
          ],
          [{ ...good, headers: { ...good.headers, signature: null } }, 'headers.signature: must be a string'],
          [[], 'body: must be an object'],
          ['text', 'body: must be an object'],
          [null, 'body: must be an object'],
        ];
        for (const [body, message] of wrong) {
          assertError(await service.verify(body), 400, 'invalid_request', message);
        }
      });

      it('names a field with characters that no request may have', async () => {
        const good = signed('{}');
        const wrong: [unknown, string][] = [
          [{ ...good, payload: '\0' }, 'payload: must not contain NUL characters'],
          [{ ...good, 'a\0': 1 }, 'body: must not contain NUL characters'],
          [
            { ...good, headers: { ...good.headers, id: '\ud83d' } },
            'headers.id: must not contain lone surrogates',
          ],
          [
            { ...good, headers: { ...good.headers, ['__proto__']: 1 } },
            'headers: must not contain a key named __proto__',
          ],
        ];
        for (const [body, message] of wrong)
          assertError(await service.verify(body), 400, 'invalid_request', message);
      });

      it('ignores unknown fields, whatever is in them', async () => {
        const delivery = signed('{"n":1}');
        const headers = { ...delivery.headers, 'content-type': 'application/json', more: [{ deep: {} }] };
        const extended = [
          { more: 1, ...delivery },
          { ...delivery, headers },
          { ...delivery, toString: {}, constructor: null, more: [[[{ a: [] }]], 'x', -0.5e3, true] },
          { ...delivery, 'a\\"\u00e9': 'b\\"' },
        ];
        for (const body of extended) assertVerified(await service.verify(body), { n: 1 });
        const { payload, ...rest } = delivery;
        assertError(
          await service.verify({ ...rest, pay_load: payload }),
          400,
          'invalid_request',
          'payload: is required',
        );
        const json = JSON.stringify(delivery).slice(0, -1);
        assertVerified(await sendRaw(`${json},"a":1,"a":[2 , 3 ] , "b" : {"c":1,"c":2}}`), { n: 1 });
        for (const broken of ['01', '[1,]', '{"a"}', '"\\x"', "'a'", '{"a":1', '[1}', 'nul', '', '1 2'])
          assertError(
            await sendRaw(`${json},"more":${broken}}`),
            400,
            'invalid_request',
            'body: is not valid JSON',
          );
      });

      it('refuses more of them than anybody sends, before it has read all of them', async () => {
        const many = Array.from({ length: 10_001 }, (_, n) => `"k${n}":0`).join(',');
        const tooMany = 'body: has an object with more than 10000 keys';
        assertError(await sendRaw(`{${many},not JSON`), 400, 'invalid_request', tooMany);
        assertError(await sendRaw(`{"headers":{${many},not JSON`), 400, 'invalid_request', tooMany);
      });

      it('names a field that is there twice', async () => {
        const json = JSON.stringify(signed('{}')).slice(0, -1);
        assertError(
          await sendRaw(`${json},"webhookSecret":""}`),
          400,
          'invalid_request',
          'webhookSecret: duplicate key',
        );
        const headers = json.replace('"headers":{', '"headers":{"id":"",');
        assertError(await sendRaw(`${headers}}`), 400, 'invalid_request', 'headers.id: duplicate key');
      });

      it('reads fields in any order and spacing, with any escapes', async () => {
        const { payload, headers, webhookSecret } = signed('{"n":1}');
        const spaced = JSON.stringify({ webhookSecret, headers, payload }, null, '\t').replaceAll(
          '\n',
          ' \r\n',
        );
        assertVerified(await sendRaw(`\n ${spaced} `), { n: 1 });
        assertVerified(await sendRaw(spaced.replace('"headers"', '"\\u0068eaders"')), { n: 1 });
      });

      it('rejects almost valid JSON', async () => {
        const json = JSON.stringify(signed('{}'));
        const broken = [
          json.slice(0, -1),
          `${json}}`,
          json.replace(',', ''),
          json.replace(':', ''),
          `${json},`,
        ];
        broken.push(json.replace('{', '{,'), `${json.slice(0, -1)},}`, json.replace('"payload"', 'payload'));
        broken.push(
          json.replace('"{}"', '"\\x"'),
          json.replace('"{}"', '}'),
          json.replace('"{}"', "'{}'"),
          '{"',
        );
        for (const body of broken) {
          assertError(await sendRaw(body), 400, 'invalid_request', 'body: is not valid JSON');
        }
      });

      it('requires JSON, but no key', async () => {
        const rawBody = JSON.stringify(signed('{}'));
        assertError(
          await service.request('POST', PATH, { rawBody, headers: { 'content-type': 'text/plain' } }),
          415,
          'unsupported_media_type',
        );
        assertVerified(await service.request('POST', PATH, { key: 'nonsense', body: signed('{}') }), {});
      });
    });

    it('agrees with HMAC-SHA-256 over id, timestamp and payload', async () => {
      const payload = '{"event":"signup.created"}';
      const timestamp = String(NOW_SECONDS);
      const digest = createHmac('sha256', Buffer.alloc(32, 7))
        .update(`msg.${timestamp}.${payload}`)
        .digest('base64');
      const answer = await service.verify({
        payload,
        headers: { id: 'msg', timestamp, signature: `v1,${digest}` },
        webhookSecret: SECRET,
      });
      assertVerified(answer, { event: 'signup.created' });
    });
  });
});
