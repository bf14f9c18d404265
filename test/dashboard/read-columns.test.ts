import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readColumns } from '../../web/src/pages/transfer/read-columns.ts';

const columnsOf = async (name: string, text: string) =>
  (await readColumns(new File([text], name))).map(({ name: column, example }) => [column, example]);

describe('the columns of a file to import', () => {
  it('are in the header of a CSV file, whatever separates them', async () => {
    const expected = [
      ['Mail', 'a@example.com'],
      ['Joined', '2026-01-01'],
    ];
    for (const mark of [',', ';', '\t', '|'])
      for (const end of ['\n', '\r\n'])
        assert.deepEqual(
          await columnsOf('people.csv', `\uFEFFMail${mark}Joined${end}a@example.com${mark}2026-01-01${end}`),
          expected,
        );
    assert.deepEqual(await columnsOf('people.CSV', 'Mail,Joined'), [
      ['Mail', ''],
      ['Joined', ''],
    ]);
  });

  it('may be quoted', async () => {
    assert.deepEqual(await columnsOf('people.csv', '"Name, full";"a ""b"""\n"Ada\nLovelace";x'), [
      ['Name, full', 'Ada\nLovelace'],
      ['a "b"', 'x'],
    ]);
  });

  it('are the keys of the first object of a JSON file', async () => {
    const expected = [
      ['email', 'a@example.com'],
      ['metadata', '{"plan":"pro"}'],
    ];
    const person = '{"email":"a@example.com","metadata":{"plan":"pro"}}';
    assert.deepEqual(await columnsOf('people.json', `[${person}, {"x":1}]`), expected);
    assert.deepEqual(await columnsOf('people.jsonl', `${person}\n{"x":1}\n`), expected);
    assert.deepEqual(await columnsOf('people.json', '[]'), []);
    assert.deepEqual(await columnsOf('people.json', 'nonsense {'), []);
  });

  it('are left out if their name does not tell them apart', async () => {
    assert.deepEqual(await columnsOf('people.csv', 'a,,a,b=c,d\n1,2,3,4,5'), [
      ['a', '1'],
      ['d', '5'],
    ]);
  });
});
