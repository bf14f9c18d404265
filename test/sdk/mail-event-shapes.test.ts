import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyLike, sign } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { parseId } from '../../src/lib/ids.ts';
import { suppressionsOf } from '../../src/waitlist/links/suppression.ts';
import { mailEventKeys } from '../../src/waitlist/mail-events/mail-event-keys.ts';
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
import {
  BELOW_A_LEAF,
  BY_AN_ISSUER_OF_LISTS,
  EXPIRED,
  ISSUER,
  LEAF,
  LEAF_OF_ROOT,
  OF_A_STRANGER,
  ONLY_FOR_ENCRYPTION,
  OTHER_NAME,
  PRIVATE_KEY,
  ROOT,
  ROOT_OF_LEAVES,
  TOO_DEEP,
} from '../support/sns-certificates.ts';

const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const HOUR_MS = 3_600_000;
const AMAZON = 'https://sns.us-west-2.amazonaws.com';
const CERTIFICATE = `${AMAZON}/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem`;
/** What the certificates name. */
const ISSUER_URL = 'http://crt.test.example/issuer.cer';

/** Made once: the key of SendGrid. */
const twilio = generateKeyPairSync('ec', { namedCurve: 'P-256' });

forEachEngine((engine) => {
  let service: Service;
  let list: List;
  const asked: string[] = [];
  let amazonAnswers: (url: string) => string;
  before(async () => {
    service = await startService(engine, {
      get: async (url) => {
        asked.push(url.href);
        return Buffer.from(url.href === ISSUER_URL ? ISSUER : amazonAnswers(url.href));
      },
      snsRoots: [ROOT, ROOT_OF_LEAVES],
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
  const storedKey = async (path: string) => {
    const keys = await mailEventKeys.list(service.context, await list.queue());
    const found = keys.find(({ hint }) => path.endsWith(hint));
    assert.ok(found);
    return found;
  };
  /** As it was stored before keys had a provider. */
  const earlierKey = async (input: { provider: string; secret?: string }) => {
    const path = await list.mailEvents(input);
    const queue = await list.queue();
    const stored = await storedKey(path);
    const id = parseId('mek', stored.id) as Buffer;
    const keys = service.context.db.query.updateTable('mail_event_key').set({ provider: null, topic: null });
    await keys.where('queue_id', '=', queue.id).where('id', '=', id).execute();
    await mailEventKeys.change(service.context, queue, stored.id, { name: 'earlier' });
    const providerOf = async () => (await storedKey(path)).own.provider;
    return { path, providerOf };
  };
  const join = (...names: string[]) =>
    list.signup(...names.map((name) => ({ email: `${name}@example.com` })));

  describe('mail events of Amazon SES', () => {
    const TOPIC = 'arn:aws:sns:us-west-2:123456789012:MyTopic';
    const TEXT = { 'content-type': 'text/plain; charset=UTF-8' };
    let hook: string;
    let messages = 0;
    before(async () => {
      amazonAnswers = () => LEAF;
      hook = await list.mailEvents({ provider: 'ses', topic: TOPIC });
    });
    const signed = (message: Record<string, string>, key: KeyLike = PRIVATE_KEY, version = '1') => {
      messages += 1;
      const whole: Record<string, string> = {
        SigningCertURL: CERTIFICATE,
        MessageId: `22b80b92-fdea-4c2c-8f9d-${messages}`,
        Timestamp: new Date(service.clock.now).toISOString(),
        ...message,
      };
      const { Signature: _, SigningCertURL: __, ...fields } = whole;
      const text = Object.keys(fields)
        .sort()
        .map((name) => `${name}\n${fields[name]}\n`)
        .join('');
      const digest = version === '1' ? 'sha1' : 'sha256';
      const Signature = sign(digest, Buffer.from(text), key).toString('base64');
      return { ...whole, SignatureVersion: version, Signature };
    };
    const notification = (content: unknown, more: Record<string, string> = {}) =>
      snsMessage('Notification', { Message: JSON.stringify(content), ...more });
    const confirmation = (SubscribeURL: string, more: Record<string, string> = {}) =>
      signed(snsMessage('SubscriptionConfirmation', { Token: '2336412f37fb', SubscribeURL, ...more }));
    const CONFIRM = `${AMAZON}/?Action=ConfirmSubscription&Token=2336412f37fb`;
    const refused = async (path: string, body: unknown, message = /no genuine message of Amazon SNS/) =>
      assertError(await post(path, body, TEXT), 401, 'unauthorized', message);

    it('are taken with either version of the signature, as the text that SNS sends', async () => {
      await join('ses1', 'ses2', 'ses3');
      asked.length = 0;
      assert.equal(await taken(hook, signed(notification(sesBounce('ses1@example.com'))), TEXT), 1);
      const second = signed(notification(sesBounce('ses2@example.com')), PRIVATE_KEY, '2');
      assert.equal(await taken(`${hook}?shape=ses`, second), 1);
      assert.deepEqual(asked, [CERTIFICATE, ISSUER_URL], 'the certificate is kept');
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
      const pem = '/SimpleNotificationService-f3.pem';
      const urls = [
        `http://sns.us-west-2.amazonaws.com${pem}`,
        `https://sns.us-west-2.amazonaws.com.evil.example${pem}`,
        `https://sns.us-west-2.amazonaws.com:8443${pem}`,
        `https://eve@sns.us-west-2.amazonaws.com${pem}`,
        `${AMAZON}/?Action=SimpleNotificationService-f3.pem`,
        `${AMAZON}${pem}?Action=1`,
        `${AMAZON}${pem}#1`,
        `${AMAZON}/SimpleNotificationService-zz.pem`,
        `https://sns.s3-us-west-2.amazonaws.com${pem}`,
        `https://sns.eu-west-1.amazonaws.com${pem}`,
        `https://sns.us-west-2.amazonaws.com.cn${pem}`,
        `https://evil.example${pem}`,
        'nonsense',
      ];
      asked.length = 0;
      const forged = [
        signed(message, other.privateKey),
        { ...genuine, Message: JSON.stringify(sesBounce('eve@example.com')) },
        { ...genuine, Signature: '' },
        { ...genuine, SignatureVersion: '3' },
        ...urls.map((SigningCertURL) => ({ ...genuine, SigningCertURL })),
      ];
      for (const body of forged) await refused(hook, body);
      assert.deepEqual(asked, [], 'nobody else is asked');
      for (const body of [sesBounce('ses5@example.com'), [], null])
        assertError(await post(hook, body, TEXT), 400, 'invalid_request', /raw message delivery/);
      assert.deepEqual(await reasons('ses5@example.com'), []);
    });

    it('are refused unless a root vouches for the certificate, today and by the name of Amazon SNS', async () => {
      await join('ses6');
      const content = sesBounce('ses6@example.com');
      const own = `-----BEGIN PUBLIC KEY-----\n${PRIVATE_KEY}`;
      const served: [string, RegExp][] = [
        [own, /its certificate is not a certificate$/],
        [OTHER_NAME, /its certificate is for another name$/],
        [EXPIRED, /its certificate is not valid today$/],
        [OF_A_STRANGER, /its certificate leads to no authority that is trusted$/],
        [BELOW_A_LEAF, /its certificate leads to no authority that is trusted$/],
        [`${BELOW_A_LEAF}\n${LEAF}`, /its certificate leads to no authority that is trusted$/],
        [ISSUER, /its certificate is one of an authority$/],
        [TOO_DEEP, /its certificate has more authorities above it than one of them allows$/],
        [BY_AN_ISSUER_OF_LISTS, /its certificate leads to no authority that is trusted$/],
        [ONLY_FOR_ENCRYPTION, /its certificate is not for signatures$/],
      ];
      for (const [index, [certificate, message]] of served.entries()) {
        amazonAnswers = () => certificate;
        const SigningCertURL = `${AMAZON}/SimpleNotificationService-a${index}.pem`;
        await refused(hook, signed(notification(content, { SigningCertURL })), message);
      }
      amazonAnswers = () => `${LEAF}\n${ISSUER}`;
      asked.length = 0;
      const SigningCertURL = `${AMAZON}/SimpleNotificationService-b.pem`;
      assert.equal(await taken(hook, signed(notification(content, { SigningCertURL })), TEXT), 1);
      assert.deepEqual(asked, [SigningCertURL], 'its issuer came along');
      amazonAnswers = () => LEAF_OF_ROOT;
      const direct = { SigningCertURL: `${AMAZON}/SimpleNotificationService-c.pem` };
      assert.equal(await taken(hook, signed(notification(content, direct)), TEXT), 1);
    });

    it('count once, for an hour', async () => {
      await join('ses7');
      const content = sesBounce('ses7@example.com', 'Transient');
      const bounce = signed(notification(content));
      assert.equal(await taken(hook, bounce, TEXT), 1);
      assert.equal(await taken(hook, bounce, TEXT), 0, 'and is answered well, so that it is not sent again');
      const at = (ms: number) => ({ Timestamp: new Date(service.clock.now + ms).toISOString() });
      for (const Timestamp of [
        '2019-01-01T00:00:00.000Z',
        '',
        at(-HOUR_MS - 1).Timestamp,
        at(301_000).Timestamp,
      ])
        await refused(hook, signed(notification(content, { Timestamp })), /more than an hour old$/);
      assert.equal(await taken(hook, signed(notification(content, at(-HOUR_MS))), TEXT), 1);
      service.clock.advance(HOUR_MS + 1);
      await refused(hook, bounce, /more than an hour old$/);
    });

    it('confirm their subscription at Amazon, and nowhere else', async () => {
      asked.length = 0;
      amazonAnswers = () => LEAF;
      assert.equal(await taken(hook, confirmation(CONFIRM), TEXT), 0);
      assert.deepEqual(asked, [CONFIRM]);
      await refused(hook, confirmation('https://evil.example/'));
      await refused(hook, confirmation('https://sns.s3-us-west-2.amazonaws.com/?Action=ConfirmSubscription'));
      assert.equal(asked.length, 1);
      const unsubscribed = snsMessage('UnsubscribeConfirmation', { Token: '2', SubscribeURL: CONFIRM });
      assert.equal(await taken(hook, signed(unsubscribed), TEXT), 0);
      assert.equal(asked.length, 1);
      amazonAnswers = () => {
        throw new Error('it answered 500');
      };
      assertError(
        await post(hook, confirmation(CONFIRM), TEXT),
        503,
        'unavailable',
        /amazonaws\.com: it answered 500/,
      );
      amazonAnswers = () => LEAF;
    });

    it('come from the topic of the key, or from the first one that is confirmed', async () => {
      await join('ses8');
      const foreign = { TopicArn: 'arn:aws:sns:us-west-2:999999999999:Theirs' };
      const bounce = () => signed(notification(sesBounce('ses8@example.com')));
      const theirs = () => signed(notification(sesBounce('ses8@example.com'), foreign));
      asked.length = 0;
      await refused(hook, theirs(), /another topic/);
      await refused(hook, confirmation(CONFIRM, foreign), /another topic/);
      for (const TopicArn of [
        'arn:aws:sns:s3-us-west-2:123456789012:MyTopic',
        'arn:aws:sqs:us-west-2:1:q',
        '',
      ])
        await refused(hook, signed(notification(sesBounce('ses8@example.com'), { TopicArn })));
      assert.deepEqual(asked, []);
      const learning = await list.mailEvents({ provider: 'ses' });
      await refused(learning, bounce(), /no subscription to this topic was confirmed/);
      assert.deepEqual(await reasons('ses8@example.com'), []);
      assert.equal(await taken(learning, confirmation(CONFIRM), TEXT), 0);
      assert.equal(await taken(learning, bounce(), TEXT), 1);
      await refused(learning, theirs(), /another topic/);
      await refused(learning, confirmation(CONFIRM, foreign), /another topic/);
      const stored = await storedKey(learning);
      assert.deepEqual(stored.own, { provider: 'ses', topic: TOPIC });
      await mailEventKeys.change(service.context, await list.queue(), stored.id, { topic: foreign.TopicArn });
      assert.equal(await taken(learning, theirs(), TEXT), 1);
      await refused(learning, bounce(), /another topic/);
    });

    it('tell a key of an earlier release its topic, so that no bounce is lost', async () => {
      await join('ses9');
      const { path } = await earlierKey({ provider: 'ses' });
      const bounce = signed(notification(sesBounce('ses9@example.com')));
      assert.equal(await taken(`${path}?shape=ses`, bounce, TEXT), 1);
      assert.deepEqual((await storedKey(path)).own, { provider: 'ses', topic: TOPIC });
      const foreign = { TopicArn: 'arn:aws:sns:us-west-2:999999999999:Theirs' };
      await refused(path, signed(notification(sesBounce('ses9@example.com'), foreign)), /another topic/);
    });
  });

  describe('mail events of Postmark', () => {
    it('are read by their type', async () => {
      const hook = await list.mailEvents({ provider: 'postmark' });
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
    let reports = 0;
    const signed = (body: string, secret = WHSEC, at = service.clock.now, id = `msg_${++reports}`) => ({
      'svix-id': id,
      'svix-timestamp': String(Math.floor(at / 1000)),
      'svix-signature': new Webhook(secret).sign(id, new Date(at), body),
    });

    it('are taken if they are signed', async () => {
      const hook = await list.mailEvents({ provider: 'resend', secret: WHSEC });
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
      const again = signed(text, WHSEC, service.clock.now, 'msg_again');
      for (const accepted of [1, 0]) assert.equal(await taken(hook, text, again), accepted);
      service.clock.advance(60_000);
      const anew = signed(text, WHSEC, service.clock.now, 'msg_again');
      assert.equal(await taken(hook, text, anew), 0, 'a repetition is signed anew, under the same id');
    });
  });

  describe('mail events of Mailgun', () => {
    const KEY = 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0';
    let reports = 0;
    const wrap = (event: object, secret = KEY, at = service.clock.now) => {
      const timestamp = String(Math.floor(at / 1000));
      const token = `a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f${++reports}`;
      const signature = createHmac('sha256', secret)
        .update(timestamp + token)
        .digest('hex');
      return { signature: { timestamp, token, signature }, 'event-data': event };
    };

    it('are taken if they are signed', async () => {
      const hook = await list.mailEvents({ provider: 'mailgun', secret: KEY });
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

    it('count once for each token, whatever is reported with it, for a day', async () => {
      const hook = await list.mailEvents({ provider: 'mailgun', secret: KEY });
      await join('mg4', 'mg5');
      const bounce = (name: string) =>
        mailgunEvent('failed', `${name}@example.com`, { severity: 'permanent' });
      const opened = wrap(mailgunEvent('opened', 'mg4@example.com'));
      assert.equal(await taken(hook, opened), 0);
      const reused = { ...opened, 'event-data': bounce('mg4') };
      assert.equal(await taken(hook, reused), 0);
      service.clock.advance(23 * HOUR_MS);
      assert.equal(await taken(hook, reused), 0);
      assert.deepEqual(await reasons('mg4@example.com'), []);
      service.clock.advance(HOUR_MS + 1000);
      assertError(await post(hook, reused), 401, 'unauthorized', /too old/);
      const late = wrap(bounce('mg5'), KEY, service.clock.now - 8 * HOUR_MS);
      const twice = await Promise.all([taken(hook, late), taken(hook, late)]);
      assert.deepEqual(twice.toSorted(), [0, 1]);
      const { id } = await list.queue();
      const seen = service.context.db.query.selectFrom('mail_event_seen').where('queue_id', '=', id);
      const expired = seen.select('expires_at').where('expires_at', '<=', service.clock.now);
      assert.deepEqual(await expired.execute(), [], 'what is too old anyway is forgotten');
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
      assert.equal(await taken(await list.mailEvents({ provider: 'sendgrid' }), body), 6);
      const found = ['sg1', 'sg2', 'sg3', 'sg4', 'sg5'].map((name) => reasons(`${name}@example.com`));
      assert.deepEqual(await Promise.all(found), [['bounced'], ['bounced'], ['complained'], [], []]);
      const hook = await list.mailEvents({ provider: 'sendgrid', secret: publicKey });
      const genuine = signed(body);
      for (const accepted of [6, 0]) assert.equal(await taken(hook, body, genuine), accepted);
      const old = signed(body, twilio.privateKey, service.clock.now - HOUR_MS - 1000);
      assertError(await post(hook, body, old), 401, 'unauthorized', /too old/);
      const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      for (const headers of [{}, signed('[]'), signed(body, other.privateKey)])
        assertError(await post(hook, body, headers), 401, 'unauthorized', /^the signature is wrong/);
      assertError(
        await post(hook, '{}', signed('{}')),
        400,
        'invalid_request',
        /^body: is not what sendgrid/,
      );
    });
  });

  describe('a mail event key', () => {
    const publicKey = twilio.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const forged = (email: string) => {
      const [timestamp, token] = [String(Math.floor(service.clock.now / 1000)), 'token'];
      const signature = createHmac('sha256', publicKey)
        .update(timestamp + token)
        .digest('hex');
      const event = mailgunEvent('failed', email, { severity: 'permanent' });
      return { signature: { timestamp, token, signature }, 'event-data': event };
    };
    it('takes only the shape of its provider', async () => {
      await join('pk1');
      const key = await list.mailEvents({ provider: 'sendgrid', secret: publicKey });
      const refusal = /^shape: this mail event key takes only what sendgrid reports/;
      assertError(
        await post(`${key}?shape=mailgun`, forged('pk1@example.com')),
        400,
        'invalid_request',
        refusal,
      );
      assertError(await post(key, forged('pk1@example.com')), 401, 'unauthorized');
      const plain = await list.mailEvents();
      assertError(
        await post(`${plain}?shape=postmark`, postmarkBounce('pk1@example.com')),
        400,
        'invalid_request',
        /^shape: .* only what plain reports/,
      );
      assertError(await post(plain, '[]', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type');
      assert.deepEqual(await reasons('pk1@example.com'), []);
    });

    it('of an earlier release takes the provider of its secret, or of its next report', async () => {
      await join('er1', 'er2');
      const signing = await earlierKey({ provider: 'sendgrid', secret: publicKey });
      assertError(
        await post(`${signing.path}?shape=mailgun`, forged('er1@example.com')),
        400,
        'invalid_request',
        /only what sendgrid reports/,
      );
      const plain = await earlierKey({ provider: 'postmark' });
      assertError(await post(plain.path, {}), 400, 'invalid_request', /^events: is required/);
      assert.equal(await taken(plain.path, { events: [] }), 0);
      assert.equal(await plain.providerOf(), null, 'it said nothing yet');
      assert.equal(await taken(`${plain.path}?shape=postmark`, postmarkBounce('er1@example.com')), 1);
      assert.equal(await plain.providerOf(), 'postmark');
      const body = { events: [{ type: 'bounce', email: 'er2@example.com' }] };
      assertError(
        await post(`${plain.path}?shape=plain`, body),
        400,
        'invalid_request',
        /only what postmark/,
      );
      assert.deepEqual(await reasons('er1@example.com'), ['bounced']);
      assert.deepEqual(await reasons('er2@example.com'), []);
    });
  });
});
