import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../test/support/property.ts';
import { parseStrictJson } from './parse-json.ts';

const parse = (text: string) => parseStrictJson(Buffer.from(text));
const refuses = (text: string | Buffer, message: string) =>
  assert.throws(() => parseStrictJson(Buffer.from(text as string)), { code: 'invalid_request', message });

describe('parseStrictJson', () => {
  it('reads what JSON.parse reads', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(
        fc.jsonValue({ noUnicodeString: false, maxDepth: 20 }),
        fc.constantFrom(undefined, 2),
        (value, indent) => {
          const json = JSON.stringify(value, null, indent);
          const clean = !/\\u0000|\\ud[89a-f]|__proto__/i.test(json);
          if (clean) assert.deepEqual(parse(json), JSON.parse(json));
        },
      ),
    );
  });

  it('ignores colons, quotes and braces inside strings', () => {
    const value = { 'a:b': 'c:"d"\\', '\\': '\\\\"', '{"x":1}': ['": "', ':'] };
    assert.deepEqual(parse(JSON.stringify(value)), value);
    assert.deepEqual(parse('{"a":"\\\\","b":"\\\\\\""}'), { a: '\\', b: '\\"' });
  });

  it('accepts the same key in different objects', () => {
    assert.deepEqual(parse('{"a":{"a":1},"b":[{"a":1},{"a":2}]}'), { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }] });
  });

  it('rejects duplicate keys in an object, at any depth and in any spelling', () => {
    refuses('{"a":1,"a":1}', 'a: duplicate key');
    refuses('{"a":1,"\\u0061":2}', 'a: duplicate key');
    refuses('{"":1,"":2}', 'body: duplicate key');
    refuses('[{"x":[{"a":1,"b":2,"a":3}]}]', '[0].x[0].a: duplicate key');
    refuses('{"1":1,"b":2,"1":3}', '1: duplicate key');
    refuses('{"toString":1,"toString":1}', 'toString: duplicate key');
    refuses(
      '{"entries":[{"a":":"},{"metadata":{"b":"\\"","c":{},"c":0}}]}',
      'entries[1].metadata.c: duplicate key',
    );
    refuses(`{"${'k'.repeat(99)}":1,"${'k'.repeat(99)}":1}`, `${'k'.repeat(64)}: duplicate key`);
  });

  it('rejects minus zero, which would come back as zero', () => {
    const message = 'a[1]: is a number that cannot be kept exactly; send it as a string';
    refuses('{"a":[0,-0]}', message);
    refuses('{"a":[0,-0.0e5]}', message);
    assert.deepEqual(parse('{"a":[0,-0.5,"-0"]}'), { a: [0, -0.5, '-0'] });
  });

  it('rejects __proto__ as a key, even escaped, but not as a value', () => {
    const message = 'body: must not contain a key named __proto__';
    refuses('{"__proto__":1}', message);
    refuses('{"__proto__":{"admin":true}}', message);
    refuses('{"\\u005f_proto__":null}', message);
    refuses('[[{"a":{"__proto\\u005f\\u005f":1}}]]', message.replace('body', '[0][0].a'));
    assert.deepEqual(parse('{"a":"__proto__","constructor":1,"prototype":2}'), {
      a: '__proto__',
      constructor: 1,
      prototype: 2,
    });
  });

  it('rejects NUL and lone surrogates in values and keys', () => {
    refuses('"\\u0000"', 'body: must not contain NUL characters');
    refuses('{"a\\u0000b":1}', 'body: must not contain NUL characters');
    const half = 'body: must not contain lone surrogates';
    for (const text of ['"\\ud800"', '"\\udc00"', '"\\udc00\\ud800"', '{"\\ud83c":1}']) refuses(text, half);
    refuses('{"entries":[{"metadata":{"a":"x\\ud83c"}}]}', half.replace('body', 'entries[0].metadata.a'));
    assert.equal(parse('"\\ud83c\\udf89"'), '🎉');
  });

  it('rejects bytes that are not UTF-8', () => {
    const broken = [
      [0xff],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
    ];
    for (const bytes of broken) {
      refuses(
        Buffer.concat([Buffer.from('"'), Buffer.from(bytes), Buffer.from('"')]),
        'body: is not valid UTF-8',
      );
    }
  });

  it('rejects invalid JSON', () => {
    const broken = [
      '',
      ' ',
      '{',
      '{"a":1,}',
      "{'a':1}",
      '{a:1}',
      '01',
      '1 2',
      'NaN',
      '"\t"',
      '\ufeff{}',
      '[1,,2]',
      '{"a":1}}',
      '// x',
    ];
    for (const text of broken) refuses(text, 'body: is not valid JSON');
  });

  it('accepts 64 levels of nesting, rejects 65, and handles any number safely', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    assert.ok(parse(nested(64)));
    for (const levels of [65, 1_000, 1_000_000])
      refuses(nested(levels), 'body: is nested deeper than 64 levels');
    refuses(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, 'body: is nested deeper than 64 levels');
  });

  it('takes 50000 keys in all, rejects one more, and never counts values that are not keys', () => {
    const people = (count: number, keys: number) =>
      Array.from({ length: count }, (_, at) =>
        Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, at])),
      );
    assert.equal((parse(JSON.stringify(people(100, 500))) as unknown[]).length, 100);
    refuses(
      JSON.stringify([...people(100, 500), { a: 1 }]),
      'body: has more than 50000 keys; send fewer entries at once',
    );
    refuses(JSON.stringify(people(1, 10_001)), 'body: has an object with more than 10000 keys');
    assert.equal((parse(JSON.stringify(Array(60_000).fill(0))) as unknown[]).length, 60_000);
  });

  it('throws no other error, whatever the bytes', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          parseStrictJson(Buffer.from(bytes));
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'invalid_request');
        }
      }),
    );
  });
});
