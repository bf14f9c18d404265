import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { suppressionsOf } from '../../src/waitlist/links/suppression.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import {
  mailgunEvent,
  postmarkBounce,
  postmarkComplaint,
  resendEvent,
  sendgridEvents,
  sesBounce,
  sesComplaint,
  snsMessage,
} from '../support/provider-reports.ts';

const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const CERTIFICATE =
  'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem';

/** Made once: the keys of Amazon and of SendGrid. */
const amazon = generateKeyPairSync('rsa', { modulusLength: 2048 });
const twilio = generateKeyPairSync('ec', { namedCurve: 'P-256' });

forEachEngine((engine) => {
  let service: Service;
  let list: List;
  const asked: string[] = [];
  let amazonAnswers: (url: string) => string;
  before(async () => {
    service = await startService(engine, {
      getText: async (url) => {
        asked.push(url.href);
        return amazonAnswers(url.href);
      },
    });
    list = await service.waitlist();
  });
  after(() => service.close());

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    service.request<{ accepted: number }>('POST', path, {
      rawBody: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const taken = async (...request: Parameters<typeof post>) => {
    const { status, body, text } = await post(...request);
    assert.equal(status, 200, text);
    return body.accepted;
  };
  const reasons = async (email: string) =>
    (await suppressionsOf(service.context, await list.queue(), email)).map(({ reason }) => reason);
  const softBounces = async () => {
    const rows = service.context.db.query.selectFrom('mail_soft_bounce').select('day');
    return (await rows.execute()).length;
  };
  const join = (...names: string[]) =>
    list.signup(...names.map((name) => ({ email: `${name}@example.com` })));

  describe('mail events of Amazon SES', () => {
    let hook: string;
    before(async () => {
      hook = `${await list.mailEvents()}?shape=ses`;
      amazonAnswers = () => amazon.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    });
    const TEXT = { 'content-type': 'text/plain; charset=UTF-8' };
    const signed = (message: Record<string, string>, key: KeyObject = amazon.privateKey, version = '1') => {
      const { Signature: _, SigningCertURL: __, ...fields } = message;
      const text = Object.keys(fields)
        .sort()
        .map((name) => `${name}\n${fields[name]}\n`)
        .join('');
      const digest = version === '1' ? 'sha1' : 'sha256';
      const Signature = sign(digest, Buffer.from(text), key).toString('base64');
      return { SigningCertURL: CERTIFICATE, ...message, SignatureVersion: version, Signature };
    };
    const notification = (content: unknown) =>
      snsMessage('Notification', { Message: JSON.stringify(content) });

    it('are taken with either version of the signature, as the text that SNS sends', async () => {
      await join('ses1', 'ses2', 'ses3');
      asked.length = 0;
      assert.equal(await taken(hook, signed(notification(sesBounce('ses1@example.com'))), TEXT), 1);
      const second = signed(notification(sesBounce('ses2@example.com')), amazon.privateKey, '2');
      assert.equal(await taken(hook, second), 1);
      assert.deepEqual(asked, [CERTIFICATE], 'the certificate is kept');
      const published = {
        ...sesComplaint('ses3@example.com'),
        notificationType: undefined,
        eventType: 'Complaint',
      };
      assert.equal(await taken(hook, signed(notification(published)), TEXT), 1);
      assert.deepEqual(await reasons('ses1@example.com'), ['bounced']);
      assert.deepEqual(await reasons('ses2@example.com'), ['bounced']);
      assert.deepEqual(await reasons('ses3@example.com'), ['complained']);
    });

    it('that say nothing against an address do nothing', async () => {
      await join('ses4');
      const before = await softBounces();
      const transient = sesBounce('ses4@example.com', 'Transient');
      assert.equal(await taken(hook, signed(notification(transient)), TEXT), 1);
      assert.equal(await softBounces(), before + 1);
      const notSpam = sesComplaint('ses4@example.com', 'not-spam');
      for (const content of [
        notSpam,
        { notificationType: 'Delivery', delivery: {} },
        'Successfully validated',
      ])
        assert.equal(await taken(hook, signed(notification(content)), TEXT), 0);
      const sentence = snsMessage('Notification', { Message: 'Successfully validated SNS topic.' });
      assert.equal(await taken(hook, signed(sentence), TEXT), 0);
      assert.deepEqual(await reasons('ses4@example.com'), []);
    });

    it('are refused unless Amazon signed them', async () => {
      await join('ses5');
      const message = notification(sesBounce('ses5@example.com'));
      const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const genuine = signed(message);
      const urls = [
        'http://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3.pem',
        'https://sns.us-west-2.amazonaws.com.evil.example/SimpleNotificationService-f3.pem',
        'https://sns.us-west-2.amazonaws.com:8443/SimpleNotificationService-f3.pem',
        'https://sns.us-west-2.amazonaws.com/?Action=SimpleNotificationService-f3.pem',
        'https://evil.example/SimpleNotificationService-f3.pem',
        'nonsense',
      ];
      asked.length = 0;
      const refused = [
        signed(message, other.privateKey),
        { ...genuine, Message: JSON.stringify(sesBounce('eve@example.com')) },
        { ...genuine, Signature: '' },
        { ...genuine, SignatureVersion: '3' },
        ...urls.map((SigningCertURL) => ({ ...genuine, SigningCertURL })),
      ];
      for (const body of refused)
        assertError(
          await post(hook, body, TEXT),
          401,
          'unauthorized',
          /^the signature of Amazon SNS is wrong$/,
        );
      assert.deepEqual(asked, [], 'nobody else is asked');
      for (const body of [sesBounce('ses5@example.com'), [], null])
        assertError(await post(hook, body, TEXT), 400, 'invalid_request', /raw message delivery/);
      assert.deepEqual(await reasons('ses5@example.com'), []);
    });

    it('confirm their subscription at Amazon, and nowhere else', async () => {
      const url = 'https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37fb';
      const confirmation = (SubscribeURL: string) =>
        signed(snsMessage('SubscriptionConfirmation', { Token: '2336412f37fb', SubscribeURL }));
      asked.length = 0;
      assert.equal(await taken(hook, confirmation(url), TEXT), 0);
      assert.deepEqual(asked, [url]);
      const elsewhere = await post(hook, confirmation('https://evil.example/'), TEXT);
      assertError(elsewhere, 401, 'unauthorized');
      assert.equal(asked.length, 1);
      const unsubscribed = snsMessage('UnsubscribeConfirmation', { Token: '2', SubscribeURL: url });
      assert.equal(await taken(hook, signed(unsubscribed), TEXT), 0);
      assert.equal(asked.length, 1);
      amazonAnswers = () => {
        throw new Error('it answered 500');
      };
      assertError(
        await post(hook, confirmation(url), TEXT),
        503,
        'unavailable',
        /amazonaws\.com: it answered 500/,
      );
    });
  });

  describe('mail events of Postmark', () => {
    it('are read by their type', async () => {
      const hook = `${await list.mailEvents()}?shape=postmark`;
      await join('pm1', 'pm2', 'pm3', 'pm4');
      const before = await softBounces();
      assert.equal(await taken(hook, postmarkBounce('pm1@example.com')), 1);
      assert.equal(await taken(hook, postmarkBounce('pm2@example.com', 'SoftBounce')), 1);
      assert.equal(await taken(hook, postmarkComplaint('pm3@example.com')), 1);
      assert.equal(await taken(hook, postmarkBounce('pm4@example.com', 'AutoResponder')), 0);
      assert.equal(await taken(hook, { RecordType: 'Open', Email: 'pm4@example.com' }), 0);
      const found = ['pm1', 'pm2', 'pm3', 'pm4'].map((name) => reasons(`${name}@example.com`));
      assert.deepEqual(await Promise.all(found), [['bounced'], [], ['complained'], []]);
      assert.equal(await softBounces(), before + 1);
      for (const body of [{}, [], { events: [] }])
        assertError(await post(hook, body), 400, 'invalid_request', /^body: is not what postmark sends$/);
      assertError(await post(hook, '{'), 400, 'invalid_request', /^body: is not valid JSON$/);
    });
  });

  describe('mail events of Resend', () => {
    const signed = (body: string, secret = WHSEC, at = service.clock.now) => ({
      'svix-id': 'msg_1',
      'svix-timestamp': String(Math.floor(at / 1000)),
      'svix-signature': new Webhook(secret).sign('msg_1', new Date(at), body),
    });

    it('are taken if they are signed', async () => {
      const hook = `${await list.mailEvents({ secret: WHSEC })}?shape=resend`;
      await join('re1', 're2', 're3');
      const send = (event: object) => taken(hook, event, signed(JSON.stringify(event)));
      const bounce = resendEvent('email.bounced', 're1@example.com');
      const text = JSON.stringify(bounce);
      for (const headers of [
        {},
        signed(text, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'),
        signed('{}'),
        signed(text, WHSEC, service.clock.now - 301_000),
      ])
        assertError(await post(hook, text, headers), 401, 'unauthorized', /^the signature is wrong/);
      assert.deepEqual(await reasons('re1@example.com'), []);
      assert.equal(await send(bounce), 1);
      assert.equal(await send(resendEvent('email.complained', 're2@example.com')), 1);
      assert.equal(await send(resendEvent('email.bounced', 're3@example.com', 'Transient')), 1);
      assert.equal(await send(resendEvent('email.delivered', 're3@example.com')), 0);
      const found = ['re1', 're2', 're3'].map((name) => reasons(`${name}@example.com`));
      assert.deepEqual(await Promise.all(found), [['bounced'], ['complained'], []]);
    });
  });

  describe('mail events of Mailgun', () => {
    const KEY = 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0';
    const wrap = (event: object, secret = KEY, at = service.clock.now) => {
      const timestamp = String(Math.floor(at / 1000));
      const token = 'a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0';
      const signature = createHmac('sha256', secret)
        .update(timestamp + token)
        .digest('hex');
      return { signature: { timestamp, token, signature }, 'event-data': event };
    };

    it('are taken if they are signed', async () => {
      const hook = `${await list.mailEvents({ secret: KEY })}?shape=mailgun`;
      await join('mg1', 'mg2', 'mg3');
      const failed = mailgunEvent('failed', 'mg1@example.com', { severity: 'permanent', reason: 'bounce' });
      const old = service.clock.now - 26 * 3_600_000;
      for (const body of [wrap(failed, 'other'), wrap(failed, KEY, old), { 'event-data': failed }, []])
        assertError(await post(hook, body), 401, 'unauthorized', /^the signature is wrong/);
      assert.deepEqual(await reasons('mg1@example.com'), []);
      assert.equal(await taken(hook, wrap(failed)), 1);
      assert.equal(await taken(hook, wrap(mailgunEvent('complained', 'mg2@example.com'))), 1);
      const before = await softBounces();
      const temporary = { severity: 'temporary', reason: 'generic' };
      assert.equal(await taken(hook, wrap(mailgunEvent('failed', 'mg3@example.com', temporary))), 1);
      const late = { severity: 'permanent', reason: 'old' };
      assert.equal(await taken(hook, wrap(mailgunEvent('failed', 'mg3@example.com', late))), 1);
      const gone = { severity: 'permanent', reason: 'suppress-unsubscribe' };
      assert.equal(await taken(hook, wrap(mailgunEvent('failed', 'mg3@example.com', gone))), 0);
      assert.equal(await taken(hook, wrap(mailgunEvent('opened', 'mg3@example.com'))), 0);
      const found = ['mg1', 'mg2', 'mg3'].map((name) => reasons(`${name}@example.com`));
      assert.deepEqual(await Promise.all(found), [['bounced'], ['complained'], []]);
      assert.equal(await softBounces(), before + 1);
    });
  });

  describe('mail events of SendGrid', () => {
    const publicKey = twilio.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const signed = (body: string, key = twilio.privateKey, at = service.clock.now) => {
      const timestamp = String(Math.floor(at / 1000));
      return {
        'x-twilio-email-event-webhook-timestamp': timestamp,
        'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(timestamp + body), key).toString(
          'base64',
        ),
      };
    };

    it('are read from a batch, signed or not', async () => {
      await join('sg1', 'sg2', 'sg3', 'sg4', 'sg5');
      const body = JSON.stringify(sendgridEvents());
      assert.equal(await taken(`${await list.mailEvents()}?shape=sendgrid`, body), 6);
      const found = ['sg1', 'sg2', 'sg3', 'sg4', 'sg5'].map((name) => reasons(`${name}@example.com`));
      assert.deepEqual(await Promise.all(found), [['bounced'], ['bounced'], ['complained'], [], []]);
      const hook = `${await list.mailEvents({ secret: publicKey })}?shape=sendgrid`;
      assert.equal(await taken(hook, body, signed(body)), 6);
      const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      for (const headers of [{}, signed('[]'), signed(body, other.privateKey)])
        assertError(await post(hook, body, headers), 401, 'unauthorized', /^the signature is wrong/);
      const wrongKey = `${await list.mailEvents({ secret: 'MFkwEwYH' })}?shape=sendgrid`;
      assertError(await post(wrongKey, body, signed(body)), 401, 'unauthorized', /^the signature is wrong/);
      assertError(
        await post(hook, '{}', signed('{}')),
        400,
        'invalid_request',
        /^body: is not what sendgrid/,
      );
    });
  });
});
