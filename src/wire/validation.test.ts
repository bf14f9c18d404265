import assert from 'node:assert/strict';
import { parse as parseQuery } from 'node:querystring';
import { describe, it } from 'node:test';
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js';
import Type, { type TSchema } from 'typebox';
import { Problems } from '../lib/errors.ts';
import { compileValidator } from './validation.ts';

function messageFor(schema: TSchema, input: unknown, httpPart = 'body'): string | undefined {
  const validate = compileValidator({ schema, httpPart } as FastifyRouteSchemaDef<TSchema>);
  return (validate(input) as { error?: Error }).error?.message;
}

const text = Type.String({ maxLength: 100 });

describe('what is wrong with a request', () => {
  const texts = Type.Record(Type.String(), text, { maxProperties: 20 });
  const body = Type.Object(
    {
      where: Type.Optional(Type.Union([texts, Type.Array(text, { maxItems: 20 })])),
      items: Type.Optional(Type.Array(Type.Union([text, Type.Null()]), { maxItems: 20 })),
    },
    { additionalProperties: false },
  );

  for (const [input, message] of [
    [{ where: { seats: 5 } }, 'where.seats: must be a string'],
    [{ where: { seats: 5, plan: 'pro', a: 6 } }, 'where.seats: must be a string; where.a: must be a string'],
    [{ where: ['plan=pro', 5] }, 'where[1]: must be a string'],
    [{ where: 5 }, 'where: must be an object or array'],
    [
      { where: Array(20).fill(1) }, // More problems than are told.
      Array.from({ length: 10 }, (_, at) => `where[${at}]: must be a string`).join('; '),
    ],
    [{ items: ['a', 5, null, 6] }, 'items[1]: must be a string or null; items[3]: must be a string or null'],
    [{ what: 1, where: 5 }, 'what: unknown field; where: must be an object or array'],
    [null, 'body: must be an object'],
  ] as const)
    it(`is said once of ${JSON.stringify(input)}, for the kind of value that was sent`, () => {
      assert.equal(messageFor(body, input), message);
    });

  it('is said of unknown fields, ten at most, however many there are and wherever they are', () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`u${at}`, at]));
    const told = (prefix: string, count: number) =>
      Array.from({ length: Math.min(count, 10) }, (_, at) => `${prefix}u${at}: unknown field`);
    const inside = Type.Object(
      Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`known${at}`, Type.Optional(text)])),
      { additionalProperties: false },
    );
    const eitherWay = Type.Union([inside, Type.Object({ id: text }, { additionalProperties: false }), text]);
    for (let count = 1; count < 40; count += 1) {
      assert.equal(messageFor(inside, unknown(count)), told('', count).join('; '));
      const list = Type.Object({ events: Type.Array(inside, { maxItems: 9 }) });
      assert.equal(
        messageFor(list, { events: [{ known0: 'a' }, unknown(count)] }),
        told('events[1].', count).join('; '),
      );
      assert.equal(messageFor(eitherWay, { id: 'a', ...unknown(count) }), told('', count).join('; '));
    }
    const all = [...told('', 3), 'known0: must be a string'].join('; ');
    assert.equal(messageFor(inside, { ...unknown(3), known0: 5 }), all);
    assert.equal(messageFor(eitherWay, { id: 'a' }), undefined);
    const [twice] = told('[0].', 1);
    assert.equal(
      messageFor(Type.Array(inside, { maxItems: 99 }), Array(99).fill(unknown(1)))?.split('; ')[0],
      twice,
    );
  });

  it('always has words', () => {
    assert.equal(new Problems().toError().message, 'the request is not valid');
    const never = Type.Object({ a: Type.Never() });
    assert.notEqual(messageFor(never, { a: 1 }), '');
  });

  describe('with more values than are allowed', () => {
    const texts = Type.Record(Type.String(), text, { maxProperties: 2 });
    const where = Type.Union([texts, Type.Array(text, { maxItems: 2 })]);
    const segment = Type.Object({ where: Type.Optional(where) });
    const body = Type.Object({ segment, quotas: Type.Optional(Type.Array(segment, { maxItems: 20 })) });

    for (const [input, message] of [
      [{ segment: { where: [1, 2, 3] } }, 'segment.where: has more than 2 values'],
      [{ segment: { where: ['a=1', 'b=2', 'c=3'] } }, 'segment.where: has more than 2 values'],
      [{ segment: { where: { a: 1, b: 2, c: 3 } } }, 'segment.where: has more than 2 keys'],
      [
        { segment: {}, quotas: [{}, { where: [1, 2, 3] }, { where: { a: '', b: '', c: '' } }] },
        'quotas[1].where: has more than 2 values; quotas[2].where: has more than 2 keys',
      ],
      [{ segment: { where: [1, 'b=2'] } }, 'segment.where[0]: must be a string'],
    ] as const)
      it(`is that alone, before each of them is looked at: ${JSON.stringify(input)}`, () => {
        assert.equal(messageFor(body, input), message);
      });
  });

  it('is that a parameter of the query is there more than once, where that means nothing', () => {
    const query = Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
      status: Type.Optional(Type.String({ enum: ['waiting'] })),
      where: Type.Optional(Type.Union([text, Type.Array(text, { maxItems: 20 })])),
    });
    const messageOf = (text: string) => messageFor(query, parseQuery(text), 'querystring');
    assert.equal(messageOf('limit=1&where=a=1&where=b=2'), undefined);
    assert.equal(
      messageOf('limit=1&status=waiting&limit=2&status=waiting'),
      'limit: is given more than once; status: is given more than once',
    );
  });

  it('is nothing, if there is nothing', () => {
    assert.equal(messageFor(body, { where: { plan: 'pro' }, items: ['a', null] }), undefined);
  });
});
