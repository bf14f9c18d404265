import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { generateSync } from 'otplib';
import { assertError, forEachEngine, type Service, startService } from '../support/harness.ts';
import {
  type Browser,
  browserOf,
  join,
  OWNER,
  PASSWORD,
  setUp,
  slowPasswords,
  tokenOf,
} from '../support/operators.ts';
import { unique } from '../support/storage.ts';

const REFUSAL = 'the email, password or code is incorrect';
const STEP_MS = 30_000;

forEachEngine((engine) => {
  describe('two-factor authentication', () => {
    let service: Service;
    let owner: Browser;
    let email: string;
    let person: Browser;
    const { passwords, meanwhile } = slowPasswords();
    before(async () => {
      service = await startService(engine, { passwords });
      owner = await setUp(service);
    });
    after(() => service.close());
    beforeEach(async () => {
      service.clock.advance(2 * 3_600_000);
      await owner.signIn(OWNER.email, PASSWORD);
      email = `${unique('t')}@example.com`;
      person = await join(service, owner, 'viewer', email);
    });

    const codeOf = (secret: string, offsetMs = 0) =>
      generateSync({ secret, epoch: Math.floor((service.clock.now + offsetMs) / 1_000) });

    /** Turns it on; the code that confirms it is used up, so the clock goes on. */
    const turnOn = async () => {
      const started = await person.post<{ secret: string; uri: string; picture: string }>('/me/two-factor', {
        password: PASSWORD,
      });
      assert.equal(started.status, 200, started.text);
      const { secret } = started.body;
      const confirmed = await person.post<{ recoveryCodes: string[] }>('/me/two-factor/confirm', {
        code: codeOf(secret),
      });
      assert.equal(confirmed.status, 200, confirmed.text);
      service.clock.advance(STEP_MS);
      return { ...started.body, recoveryCodes: confirmed.body.recoveryCodes };
    };

    it('shows a secret and its picture behind the password, and counts once it is confirmed', async () => {
      assertError(await person.post('/me/two-factor', { password: 'wrong' }), 403, 'forbidden');
      assertError(await person.post('/me/two-factor/confirm', { code: '123456' }), 409, 'conflict');
      const { body } = await person.post<{ secret: string; uri: string; picture: string }>('/me/two-factor', {
        password: PASSWORD,
      });
      assert.match(body.uri, /^otpauth:\/\/totp\/Doorlist/);
      assert.match(body.picture, /^<svg /);
      assert.equal((await browserOf(service).signIn(email, PASSWORD)).status, 200);
      assertError(await person.post('/me/two-factor/confirm', { code: '000000' }), 400, 'invalid_request');
      const code = codeOf(body.secret);
      const { recoveryCodes } = (
        await person.post<{ recoveryCodes: string[] }>('/me/two-factor/confirm', { code })
      ).body;
      assert.equal(new Set(recoveryCodes).size, 10);
      assertError(await person.post('/me/two-factor', { password: PASSWORD }), 409, 'conflict');
      const me = await person.get<{ operator: { twoFactor: boolean } }>('/me');
      assert.equal(me.body.operator.twoFactor, true);
      assertError(await browserOf(service).signIn(email, PASSWORD, code), 401, 'unauthorized', REFUSAL);
    });

    it('asks for the code only after the right password, and says nothing of which part was wrong', async () => {
      const { secret } = await turnOn();
      assertError(await browserOf(service).signIn(email, PASSWORD), 401, 'code_required');
      assertError(await browserOf(service).signIn(email, 'wrong password'), 401, 'unauthorized', REFUSAL);
      assertError(await browserOf(service).signIn(email, PASSWORD, '000000'), 401, 'unauthorized', REFUSAL);
      const wrong = await browserOf(service).signIn(email, 'wrong password', codeOf(secret));
      assertError(wrong, 401, 'unauthorized', REFUSAL);
      assert.equal((await browserOf(service).signIn(email, PASSWORD, codeOf(secret))).status, 200);
    });

    it('takes each code once, also from two browsers at the same time', async () => {
      const { secret } = await turnOn();
      const code = codeOf(secret);
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => browserOf(service).signIn(email, PASSWORD, code)),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
      assertError(await browserOf(service).signIn(email, PASSWORD, code), 401, 'unauthorized');
      service.clock.advance(STEP_MS);
      assertError(await browserOf(service).signIn(email, PASSWORD, code), 401, 'unauthorized');
    });

    it('forgives a clock that is one step off, and no more', async () => {
      const { secret } = await turnOn();
      assertError(
        await browserOf(service).signIn(email, PASSWORD, codeOf(secret, 2 * STEP_MS)),
        401,
        'unauthorized',
      );
      assert.equal((await browserOf(service).signIn(email, PASSWORD, codeOf(secret, STEP_MS))).status, 200);
      assertError(await browserOf(service).signIn(email, PASSWORD, codeOf(secret)), 401, 'unauthorized');
    });

    it('takes each recovery code once, however it is typed', async () => {
      const { recoveryCodes } = await turnOn();
      const [first = '', second = ''] = recoveryCodes;
      const answers = await Promise.all(
        [first, first.toUpperCase().replaceAll('-', ' '), first].map((code) =>
          browserOf(service).signIn(email, PASSWORD, code),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
      const renewed = await person.post<{ recoveryCodes: string[] }>('/me/recovery-codes', {
        password: PASSWORD,
      });
      assert.equal(renewed.status, 200, renewed.text);
      assertError(await browserOf(service).signIn(email, PASSWORD, second), 401, 'unauthorized');
      const [fresh = ''] = renewed.body.recoveryCodes;
      assert.equal((await browserOf(service).signIn(email, PASSWORD, fresh)).status, 200);
    });

    it('makes whoever guesses codes wait, from wherever they come', async () => {
      const { secret } = await turnOn();
      for (let i = 0; i < 5; i += 1)
        assertError(await browserOf(service).signIn(email, PASSWORD, '000000'), 401, 'unauthorized');
      assertError(await browserOf(service).signIn(email, PASSWORD, codeOf(secret)), 429, 'rate_limited');
      assert.equal((await person.signIn(email, PASSWORD, codeOf(secret))).status, 200, 'a known browser');
    });

    const DEVICE = 'doorlist-device';

    it('counts guesses of a known browser together, however its cookie is written', async () => {
      const { secret } = await turnOn();
      const cookie = person.cookies.get(DEVICE) ?? '';
      const [nonce = '', proof = ''] = cookie.split('.');
      const spellings = (guess: number) => [
        cookie,
        `${cookie}.x${guess}`,
        `${cookie}.`,
        `${cookie}${'-'.repeat(guess + 1)}`,
        `${nonce}.${proof.slice(0, -1)}${proof.endsWith('A') ? 'B' : 'A'}`,
        `${nonce}.${proof}.${proof}`,
      ];
      let wrong = 0;
      for (let guess = 0; guess < 60; guess += 1) {
        const browser = browserOf(service);
        const options = spellings(guess);
        browser.cookies.set(DEVICE, options[guess % options.length] ?? '');
        const { status } = await browser.signIn(email, PASSWORD, '000000');
        assert.ok(status === 401 || status === 429, String(status));
        if (status === 401) wrong += 1;
      }
      assert.equal(wrong, 10, 'five as the known browser, and five as a stranger');
      assertError(await person.signIn(email, PASSWORD, codeOf(secret)), 429, 'rate_limited');
    });

    it('has a ceiling for all known browsers of an account together', async () => {
      const { secret } = await turnOn();
      const browsers: Browser[] = [];
      for (let at = 0; at < 6; at += 1) {
        const browser = browserOf(service);
        assert.equal((await browser.signIn(email, PASSWORD, codeOf(secret))).status, 200);
        browsers.push(browser);
        service.clock.advance(STEP_MS);
      }
      const statuses: number[] = [];
      for (const browser of browsers)
        for (let guess = 0; guess < 5; guess += 1)
          statuses.push((await browser.signIn(email, PASSWORD, '000000')).status);
      assert.equal(statuses.filter((status) => status === 401).length, 20);
      assert.equal(statuses.filter((status) => status === 429).length, 10);
      service.clock.advance(60_000);
      assert.equal((await person.signIn(email, PASSWORD, codeOf(secret))).status, 200);
    });

    it('knows a browser only as long as the password stays the same', async () => {
      const { secret } = await turnOn();
      const stolen = person.cookies.get(DEVICE) ?? '';
      const change = { password: PASSWORD, newPassword: 'nanoseconds are wires' };
      assert.equal((await person.post('/me/password', change)).status, 200);
      const thief = browserOf(service);
      thief.cookies.set(DEVICE, stolen);
      for (let guess = 0; guess < 5; guess += 1)
        assertError(await thief.signIn(email, change.newPassword, '000000'), 401, 'unauthorized');
      const stranger = browserOf(service);
      assertError(await stranger.signIn(email, change.newPassword, codeOf(secret)), 429, 'rate_limited');
      assert.notEqual(person.cookies.get(DEVICE), stolen, 'the browser that changed it stays known');
      assert.equal((await person.signIn(email, change.newPassword, codeOf(secret))).status, 200);
    });

    it('counts from the moment it is on, also for a password that is being compared', async () => {
      meanwhile(turnOn);
      assertError(await browserOf(service).signIn(email, PASSWORD), 401, 'unauthorized');
      assertError(await browserOf(service).signIn(email, PASSWORD), 401, 'code_required');
    });

    it('stays as it is if the password was reset while it was compared', async () => {
      const { secret, recoveryCodes } = await turnOn();
      const { operator } = (await person.get<{ operator: { id: string } }>('/me')).body;
      const { url } = (await owner.post<{ url: string }>(`/operators/${operator.id}/link`)).body;
      const password = 'nanoseconds are wires';
      const stolen = { password: PASSWORD, code: recoveryCodes[0] };
      meanwhile(() => browserOf(service).post('/password', { token: tokenOf(url), password }));
      assertError(await person.post('/me/two-factor/disable', stolen), 403, 'forbidden');
      assert.equal((await person.signIn(email, password, codeOf(secret))).status, 200);
    });

    it('is turned off with the password and a code, and survives a reset of the password', async () => {
      const { secret } = await turnOn();
      const { operator } = (await person.get<{ operator: { id: string } }>('/me')).body;
      const { url } = (await owner.post<{ url: string }>(`/operators/${operator.id}/link`)).body;
      const password = 'nanoseconds are wires';
      assert.equal(
        (await browserOf(service).post('/password', { token: tokenOf(url), password })).status,
        200,
      );
      assertError(await person.get('/me'), 401, 'unauthorized');
      assertError(await person.signIn(email, password), 401, 'code_required');
      assert.equal((await person.signIn(email, password, codeOf(secret))).status, 200);
      service.clock.advance(STEP_MS);
      const off = (body: object) => person.post('/me/two-factor/disable', body);
      assertError(await off({ password: 'wrong', code: codeOf(secret) }), 403, 'forbidden');
      assertError(await off({ password, code: '000000' }), 400, 'invalid_request');
      assert.equal((await off({ password, code: codeOf(secret) })).status, 200);
      assert.equal((await browserOf(service).signIn(email, password)).status, 200);
    });
  });
});
