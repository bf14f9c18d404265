import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DoorlistError } from '../lib/errors.ts';
import { argon2Passwords } from './password.ts';
import { requireGoodPassword } from './password-rules.ts';

const CHEAP = { operations: 1, memoryBytes: 8_192 };

describe('password hashes', () => {
  it('are Argon2id with a salt, and fit the exact password alone', async () => {
    const { hash: hashPassword, verify } = argon2Passwords();
    const hash = await hashPassword('correct horse 🐎 battery');
    assert.match(hash, /^\$argon2id\$v=19\$m=65536,t=2,p=1\$/);
    assert.notEqual(hash, await hashPassword('correct horse 🐎 battery'));
    assert.equal(await verify(hash, 'correct horse 🐎 battery'), true);
    for (const wrong of ['', 'Correct horse 🐎 battery', 'correct horse 🐎 battery ', 'correct horse'])
      assert.equal(await verify(hash, wrong), false);
    assert.equal(await verify(null, 'correct horse 🐎 battery'), false);
  });

  it('are not cut off: the last of 512 characters counts', async () => {
    const long = 'ab'.repeat(256);
    const passwords = argon2Passwords(CHEAP);
    const hash = await passwords.hash(long);
    assert.equal(await passwords.verify(hash, long), true);
    assert.equal(await passwords.verify(hash, `${long.slice(0, -1)}c`), false);
  });

  it('are made for a bounded number at once; the rest are told to come back', async () => {
    const passwords = argon2Passwords(CHEAP);
    const results = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.hash('x')));
    const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.equal(refused.length, 18);
    for (const { reason } of refused)
      assert.ok(reason instanceof DoorlistError && reason.code === 'unavailable');
    assert.match(await passwords.hash('x'), /^\$argon2id/);
  });

  it('are compared for everybody else while strangers fill their line', async () => {
    const passwords = argon2Passwords(CHEAP);
    const stored = await passwords.hash('correct horse');
    await passwords.verify(null, 'the first comparison prepares one more hash');
    const strangers = Array.from({ length: 60 }, () => passwords.verify(stored, 'a wrong guess', true));
    const told = Promise.allSettled(strangers);
    assert.equal(await passwords.verify(stored, 'correct horse'), true);
    const refused = (await told).filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 18);
  });
});

describe('requireGoodPassword', () => {
  const check = (password: string) => requireGoodPassword(password, 'grace.hopper@example.com');

  it('takes long passwords of any characters', async () => {
    for (const good of [
      'compilers translate words',
      'äöüß äöüß äöüß',
      '🐎🔋📎🪜🎲🧭🛶🪁🧵🪙🧊🪵',
      'f8#kQ2!pZ7$w',
      'graceful compilers',
      'doorlist of my own words',
    ])
      await check(good);
  });

  it('refuses short, endless, common and personal ones', async () => {
    const bad = [
      'f8#kQ2!pZ7$',
      'a b'.repeat(200),
      'password1234',
      '123456789012',
      'Qwertyuiop123',
      'iloveyouiloveyou',
      'abababababab',
      'grace.hopper@example.com',
      'grace.hopper12',
      'doorlist1234',
      'doorlistdoorlist',
      'Doorlist-Doorlist-1',
      'grace.hopper@example.comgrace.hopper@example.com',
      'grace.hoppergrace.hopper',
      'doorlistgrace.hopper',
      'examplegrace.hopper1',
      'gracehopper2026',
      'hopperdoorlistgrace',
    ];
    for (const password of bad) await assert.rejects(check(password), /^DoorlistError: password: /, password);
  });
});
