import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { exportEntries } from '../../src/wire/export.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';

interface Job {
  id: string;
  state: string;
  result: { rows: number; created: number; failed: number; found: Record<string, number> };
}

interface Import {
  columns: { name: string; field: string }[];
  warnings: string[];
}

const TYPES = { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' };
type Type = keyof typeof TYPES;

forEachEngine((engine) => {
  let service: Service;
  let admin: DocumentedClient;
  before(async () => {
    service = await startService(engine);
    admin = await documentedClient(service, 'admin');
  });
  after(() => service.close());

  const post = (to: List, type: Type, rawBody: string | Uint8Array, map = '', what = '') =>
    admin.call<Job & Import>(
      what === '' ? 'createImport' : 'previewImport',
      'POST',
      `/waitlists/${to.id}/imports${what}${map === '' ? '' : `?map=${encodeURIComponent(map)}`}`,
      { rawBody, headers: { 'content-type': TYPES[type] } },
    );
  const get = <Body>(operation: string, path: string) => admin.call<Body>(operation, 'GET', path);

  /** Imports a text into a new waitlist, and reads back everything that is said about it. */
  async function imported(type: Type, text: string | Uint8Array, map = '') {
    const to = await service.waitlist();
    const sent = await post(to, type, text, map);
    assert.equal(sent.status, 202, sent.text);
    await service.runJobs();
    const path = `/waitlists/${to.id}/imports/${sent.body.id}`;
    const { state, result } = (await get<Job>('getJob', `/jobs/${sent.body.id}`)).body;
    assert.equal(state, 'done');
    const { columns, warnings } = (await get<Import>('getImport', path)).body;
    const { text: errors } = await get('downloadImportErrors', `${path}/errors`);
    const people = await to.walk();
    assert.equal(people.length, result.created);
    return {
      ...{ to, people, warnings, result },
      fields: Object.fromEntries(columns.map(({ name, field }) => [name, field])),
      problems: (parse(errors, { from: 2 }) as string[][]).map(([line, ...rest]) => [Number(line), ...rest]),
      metadata: people.map(({ metadata }) => metadata),
      badRows: async () => (await get('downloadImportBadRows', `${path}/bad-rows`)).text,
    };
  }
  const refused = async (type: Type, text: string, why: RegExp, map = '') =>
    assertError(await post(await service.waitlist(), type, text, map), 400, 'invalid_request', why);

  describe('the metadata cell of an import', () => {
    it('is JSON by the rules of the API', async () => {
      const cells = [
        '{"a":"\\ud800"}',
        '{"a":["\\u0000"]}',
        '{"__proto__":{"x":1}}',
        '{"k":1,"x":{"k":1,"k" :2}}',
        '{"a":9007199254740993}',
        `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
        '{"at":"10:00","say":"\\"k\\":1","k":1}',
      ].map((json, at) => `p${at}@example.com,"${json.replaceAll('"', '""')}"\n`);
      const { problems, metadata } = await imported('csv', `email,metadata\n${cells.join('')}`);
      assert.deepEqual(problems, [
        [2, 'metadata.a', 'must not contain lone surrogates'],
        [3, 'metadata.a[0]', 'must not contain NUL characters'],
        [4, 'metadata', 'must not contain a key named __proto__'],
        [5, 'metadata.x.k', 'duplicate key'],
        [6, 'metadata.a', 'is a number that cannot be kept exactly; send it as a string'],
        [7, 'metadata', 'is nested deeper than 64 levels'],
      ]);
      assert.deepEqual(metadata, [{ at: '10:00', say: '"k":1', k: 1 }]);
    });

    it('must be an object, whatever other columns the row has', async () => {
      for (const text of [
        'email,metadata\na@example.com,"[1,2]"\n',
        'email,metadata,plan\na@example.com,"[1,2]",pro\n',
      ])
        assert.deepEqual((await imported('csv', text)).problems, [[2, 'metadata', 'must be an object']]);
      const { problems } = await imported('ndjson', '{"email":"a@example.com","metadata":[],"plan":"pro"}\n');
      assert.deepEqual(problems, [[1, 'metadata', 'must be an object']]);
    });

    it('has limits that are looked at before it is parsed, and so has a row of JSON', async () => {
      const keys = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
      const cell = JSON.stringify({ a: keys(4_000) }).replaceAll('"', '""');
      const csv = await imported('csv', `email,metadata\na@example.com,"${cell}"\nb@example.com,\n`);
      assert.deepEqual(csv.problems, [[2, 'metadata', 'is larger than 16384 bytes as JSON']]);
      assert.equal(csv.people.length, 1);
      const row = JSON.stringify({ email: 'a@example.com', metadata: { a: keys(6_000) } });
      const json = await imported('ndjson', `${row}\n{"email":"b@example.com"}\n`);
      assert.deepEqual(json.problems, [[1, '', 'has more than 5000 keys']]);
      assert.equal(json.people.length, 1);
    });

    it('cannot repeat a key that a column gives', async () => {
      const rows =
        'a@example.com,"{""plan"":""gold""}",pro\nb@example.com,"{""plan"":""gold""}",\nc@example.com,,pro\n';
      const reason = 'is given twice: in the metadata and as a column';
      const csv = await imported('csv', `email,metadata,plan\n${rows}`);
      assert.deepEqual(csv.problems, [[2, 'metadata.plan', reason]]);
      assert.deepEqual(csv.metadata, [{ plan: 'gold' }, { plan: 'pro' }]);
      const json = await imported(
        'json',
        '[{"email":"a@example.com","plan":"pro","metadata":{"plan":"pro"}}]',
      );
      assert.deepEqual(json.problems, [[1, 'metadata.plan', reason]]);
    });

    it('and a column cannot be a key named __proto__', async () => {
      const reason = 'must not contain a key named __proto__';
      const csv = await imported('csv', 'email,metadata.__proto__\na@example.com,x\nb@example.com,\n');
      assert.deepEqual([csv.problems, csv.metadata], [[[2, 'metadata', reason]], [null]]);
      const json = await imported('ndjson', '{"email":"a@example.com","metadata.__proto__":{"x":1}}\n');
      assert.deepEqual(json.problems, [[1, 'metadata', reason]]);
      await refused(
        'csv',
        'email,x\na@example.com,1\n',
        /^map: "x=metadata.__proto__": must not be a key named __proto__$/,
        'x=metadata.__proto__',
      );
    });
  });

  describe('columns that would be the same metadata key', () => {
    it('get keys of their own, which the preview and the report show', async () => {
      const question = 'How many people of your team would use it in the first few months?';
      const text = `email,"${question} (work)","${question} (home)",plan,metadata.plan,other\na@example.com,10,2,pro,gold,x\n`;
      const map = 'other=metadata.plan 2';
      const key = question.slice(0, 64);
      const fields = {
        email: 'email',
        [`${question} (work)`]: `metadata.${key}`,
        [`${question} (home)`]: `metadata.${key.slice(0, 62)} 2`,
        plan: 'metadata.plan 3',
        'metadata.plan': 'metadata.plan',
        other: 'metadata.plan 2',
      };
      const { body } = await post(await service.waitlist(), 'csv', text, map, '/preview');
      assert.deepEqual(Object.fromEntries(body.columns.map(({ name, field }) => [name, field])), fields);
      const done = await imported('csv', text, map);
      assert.deepEqual(done.fields, fields);
      assert.deepEqual(done.metadata, [
        { [key]: '10', [`${key.slice(0, 62)} 2`]: '2', 'plan 3': 'pro', plan: 'gold', 'plan 2': 'x' },
      ]);
      const json = await imported('ndjson', '{"email":"a@example.com","metadata.plan":1,"plan":2}\n');
      assert.deepEqual(json.metadata, [{ plan: 1, 'plan 2': 2 }]);
    });

    it('or the same field are refused in a map', async () => {
      const text = 'email,x,y\na@example.com,1,2\n';
      await refused('csv', text, /^map: "x" and "y" are both metadata\.k$/, 'x=metadata.k,y=metadata.k');
      await refused('csv', text, /^map: "email" and "x" are both email$/, 'email=email,x=email');
      await refused('csv', text, /^map: "x" is named twice$/, 'x=metadata.k,x=metadata.l');
      assert.deepEqual((await imported('csv', text, 'x=-,y=-')).metadata, [null]);
    });
  });

  it('of two columns that are one field, the first that is not empty counts, and the report says so', async () => {
    const text = 'email,E-Mail,note\na@example.com,b@example.com,x\n,c@example.com,\n';
    const { people, metadata, warnings } = await imported('csv', text);
    assert.deepEqual(
      people.map(({ email }) => email),
      ['a@example.com', 'c@example.com'],
    );
    assert.deepEqual(metadata, [{ 'E-Mail': 'b@example.com', note: 'x' }, null]);
    const warning =
      'Columns "email" and "E-Mail" are both email. In each row, the first that is not empty counts; the other is kept as metadata.';
    assert.ok(warnings.includes(warning), warnings.join('\n'));
  });

  describe('the characters of a CSV import', () => {
    it('can be U+FFFD, if the file has it and not bytes that are no UTF-8', async () => {
      const old = await service.waitlist();
      await old.signup({ email: 'a@example.com', metadata: { name: 'J\uFFFDrg' } });
      let text = '';
      for await (const piece of exportEntries(service.context, await old.queue(), { format: 'csv' }))
        text += piece.text;
      const whole = await imported('csv', text);
      assert.deepEqual([whole.problems, whole.metadata], [[], [{ name: 'J\uFFFDrg' }]]);
      // Out of order, and with quotes that must be read alone.
      const sorted = Buffer.concat([
        Buffer.from('email,joinedAt,name\nb@example.com,2025-01-02,"J\uFFFDrg"\n'),
        Buffer.from('a@example.com,2025-01-01,J\xf6rg\n', 'latin1'),
        Buffer.from('c@example.com,2024-01-01,"J"\uFFFD"rg"\n'),
        Buffer.from('d@example.com,2024-01-01,"J"\xf6"rg"\n', 'latin1'),
      ]);
      const { problems, metadata } = await imported('csv', sorted);
      assert.deepEqual(metadata, [{ name: 'J"\uFFFD"rg' }, { name: 'J\uFFFDrg' }]);
      assert.deepEqual(problems, [
        [5, '', 'is not valid UTF-8'],
        [3, '', 'is not valid UTF-8'],
      ]);
    });

    it('cannot be NUL, for which there is a reason of its own', async () => {
      const { problems } = await imported('csv', 'email,note\na@example.com,x\0y\nb@example.com,"\0"\n');
      assert.deepEqual(problems, [
        [2, '', 'must not contain NUL characters'],
        [3, '', 'must not contain NUL characters'],
      ]);
      await refused(
        'csv',
        'email,no\0te\na@example.com,x\n',
        /^the first row .* must not contain NUL characters$/,
      );
    });
  });

  describe('the JSON of an import', () => {
    it('has bad rows for duplicate keys', async () => {
      const rows = [
        '{"email":"a@example.com","email":"b@example.com"}',
        '{"email":"c@example.com","metadata":{"k":1,"\\u006b":2}}',
        '{"email":"d@example.com","metadata":"{\\"k\\":1,\\"k\\":2}"}',
        '{"email" : "e@example.com", "at" :"10:00", "say":"\\":"}',
      ];
      const problems = [
        [1, 'email', 'duplicate key'],
        [2, 'metadata.k', 'duplicate key'],
        [3, 'metadata.k', 'duplicate key'],
      ];
      const lines = await imported('ndjson', rows.join('\n'));
      assert.deepEqual([lines.problems, lines.metadata], [problems, [{ at: '10:00', say: '":' }]]);
      const array = await imported('json', `[${rows.join(',')}]`);
      assert.deepEqual([array.problems, array.metadata], [problems, lines.metadata]);
    });

    it('is refused if it is no array, with what is wrong and where', async () => {
      const [a, b] = ['{"email":"a@example.com"}', '{"email":"b@example.com"}'];
      const cases: [string, string][] = [
        [`[${a},]`, 'trailing comma after value 1, on line 1'],
        [`[${a},\n${b}\n,\n]`, 'trailing comma after value 2, on line 3'],
        [`[${a} ${b}]`, 'missing comma after value 1, on line 1'],
        [`[${a},\n${b}\n${a}]`, 'missing comma after value 2, on line 3'],
        ['["a" "b"]', 'missing comma after value 1, on line 1'],
        ['[1 2]', 'missing comma after value 1, on line 1'],
        [`[,${a}]`, 'missing value before the comma, on line 1'],
        [`[${a},,${b}]`, 'missing value before the comma, on line 1'],
        [`[${a}}]`, 'unexpected } after value 1, on line 1'],
        [`[${a}]\n]`, 'unexpected text after the array, on line 2'],
      ];
      for (const [text, why] of cases) {
        const answer = await post(await service.waitlist(), 'json', text);
        assertError(answer, 400, 'invalid_request');
        assert.match(answer.text, new RegExp(`"body: is not valid JSON: ${why}"`), text);
      }
      await refused(
        'json',
        `[${a},${b}`,
        /^body: must be a JSON array of objects; the \] at its end is missing$/,
      );
      await refused('json', a, /^body: must be a JSON array of objects$/);
      await refused(
        'ndjson',
        `${a} ${b}\n`,
        /^the file has no row that can be read: line 1 is not valid JSON$/,
      );
      await refused('json', '[{}]', /^map: no email or phone column; the file has no columns/);
      const odd = await imported('json', `[${a}, "x\ny", nonsense, 1, ${b}]`);
      assert.deepEqual(odd.problems, [
        [2, '', 'is not valid JSON'],
        [3, '', 'is not valid JSON'],
        [4, '', 'must be a JSON object'],
      ]);
      assert.equal(odd.people.length, 2);
    });
  });

  describe('the bad rows of a JSON import', () => {
    for (const type of ['json', 'ndjson'] as const)
      it(`can be corrected and imported again, from ${type}`, async () => {
        const rows = [
          '{"email":"fine@example.com","joinedAt":"2025-01-01"}',
          '{"email":"second","joinedAt":"2025-01-03","metadata":{"deep":[1,{"x":"a, \\"b\\""}]}}',
          '{"email":"first","joinedAt":"2025-01-02","seats":3}',
          '{"email":"still bad","seats":9007199254740993}',
        ];
        const text = type === 'json' ? `[${rows.join(',\n')}]` : rows.join('\n');
        const { badRows } = await imported(type, text);
        const file = await badRows();
        const [head, ...lines] = file.trimEnd().split('\r\n');
        assert.equal(head, 'Doorlist line,Doorlist reason,row');
        const corrected = [head, ...lines.reverse()]
          .join('\n')
          .replace('second', 'second@example.com')
          .replace('first', 'first@example.com');
        const again = await imported('csv', corrected);
        assert.deepEqual(
          again.people.map(({ email, createdAt, metadata }) => [email, createdAt.slice(0, 10), metadata]),
          [
            ['first@example.com', '2025-01-02', { seats: 3 }],
            ['second@example.com', '2025-01-03', { deep: [1, { x: 'a, "b"' }] }],
          ],
        );
        assert.deepEqual(
          again.problems.map(([line, field]) => [line, field]),
          [
            [2, 'seats'],
            [2, 'email'],
          ],
        );
        assert.equal(again.fields.seats, 'metadata.seats');
        const left = parse(await again.badRows()) as string[][];
        assert.deepEqual(
          left.map(([line, , row]) => [line, row]),
          [
            ['Doorlist line', 'row'],
            ['2', rows[3]],
          ],
        );
      });

    it('are whole, also if they are long, and an empty one is a bad row', async () => {
      const note = 'x'.repeat(20_000);
      const { badRows } = await imported(
        'ndjson',
        `{"email":"a@example.com"}\n{"email":"b","note":"${note}"}\n`,
      );
      const file = await badRows();
      assert.ok(file.includes(`${note}""}"`));
      const short = file.replace(note, 'short').replace('""b""', '""b@example.com""');
      const again = await imported('csv', `${short}7,,\r\n`);
      assert.deepEqual([again.metadata, again.problems], [[{ note: 'short' }], [[3, '', 'is empty']]]);
    });
  });

  it('the bad rows of an export of ours are still read as one', async () => {
    const head =
      'id,email,phone,metadata,status,position,referrals,referralCode,referredBy,createdAt,invitedAt,joinedAt';
    const row =
      'ent_1,wrong,,"{""plan"":""pro""}",joined,,0,OLD1,,2025-01-01T00:00:00Z,2025-01-02T00:00:00Z,2025-01-03T00:00:00Z';
    const { badRows } = await imported('csv', `${head}\n${row}\n`);
    const { people, fields } = await imported('csv', (await badRows()).replace('wrong', 'right@example.com'));
    assert.deepEqual([fields['Doorlist line'], fields['Doorlist reason'], fields.id], ['-', '-', '-']);
    const [{ email, status, metadata, createdAt, joinedAt }] = people as [(typeof people)[number]];
    assert.deepEqual([email, status, metadata], ['right@example.com', 'joined', { plan: 'pro' }]);
    assert.deepEqual([createdAt.slice(0, 10), joinedAt?.slice(0, 10)], ['2025-01-01', '2025-01-03']);
  });

  it('lines of a CSV file can end with CR alone', async () => {
    const text = 'email,plan,note\ra@example.com,pro,"two\nlines"\rwrong,free,\rb@example.com,free,';
    const { people, metadata, problems, badRows } = await imported('csv', text);
    assert.deepEqual(
      people.map(({ email }) => email),
      ['a@example.com', 'b@example.com'],
    );
    assert.deepEqual(metadata, [{ plan: 'pro', note: 'two\nlines' }, { plan: 'free' }]);
    assert.deepEqual(
      problems.map(([line, field]) => [line, field]),
      [[4, 'email']],
    );
    assert.match(await badRows(), /\r\n4,[^\n]+,wrong,free,\r\n$/);
    const sorted = await imported(
      'csv',
      '\uFEFF"email";joinedAt\rb@example.com;2025-01-02\ra@example.com;2025-01-01\r',
    );
    assert.deepEqual(
      sorted.people.map(({ email }) => email),
      ['a@example.com', 'b@example.com'],
    );
    const usual = await imported('csv', 'email,note\r\na@example.com,"x\ry"\r\nb@example.com,x\ry\r\n');
    assert.deepEqual(usual.metadata, [{ note: 'x\ry' }, { note: 'x\ry' }]);
  });

  it('referrers in a circle are not called missing', async () => {
    const text =
      'email,Referred By\na@example.com,a@example.com\nb@example.com,c@example.com\nc@example.com,b@example.com\n' +
      'd@example.com,nobody@example.com\ne@example.com,d@example.com\n';
    const { result, warnings } = await imported('csv', text);
    const { referrals, referralsUnresolved, referralsCircular } = result.found;
    assert.deepEqual([referrals, referralsUnresolved, referralsCircular], [5, 1, 3]);
    const words = warnings.join('\n');
    assert.match(words, /^1 referrer in "Referred By" could not be found/m);
    assert.match(
      words,
      /^3 referrals in "Referred By" are self-referrals or in a circle\. They credit nobody\.$/m,
    );
  });

  it('is refused if its first row is a person, who would be lost as the names of columns', async () => {
    const to = await service.waitlist();
    for (const text of ['a@x.co\nb@x.co\n', 'Ada,a@x.co\nBob,b@x.co\n', '+14155550101\n+14155550102\n'])
      for (const what of ['', '/preview'])
        assertError(
          await post(to, 'csv', text, '', what),
          400,
          'invalid_request',
          /^the first row must contain the column names; it has a person\./,
        );
    assert.equal((await to.page()).body.total, 0);
  });
});
