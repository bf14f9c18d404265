import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Person } from '../people/person.ts';
import { wantedBy } from './wanted-text.ts';

const ADA: Person = {
  email: 'ada.lovelace@engines.example',
  phone: '+4915112340567',
  metadata: {
    name: 'Ada Byron, Countess of Lovelace',
    company: { name: 'Société Générale', seats: 1843, tags: ['math', 'VIP'] },
    office: '(415) 555-0111',
    note: null,
  },
  importedCode: 'OLD-C0DE',
};

const finds = (texts: readonly string[], person: Partial<Person>, expected: boolean) => {
  for (const text of texts) assert.equal(wantedBy(text)({ ...ADA, ...person }), expected, text);
};

it('finds a person by any part of what is stored about them', () => {
  finds(['lovelace', '@engines.example', 'ENGINES.', 'ada.love', 'a'], {}, true);
  finds(['countess', 'byron,', 'societe generale', 'GÉNÉRALE', '1843', 'vip', 'old-c0'], {}, true);
  finds(['babbage', 'name', 'company', 'ada.lovelace@engines.example.com'], {}, false);
});

it('wants every word, wherever it is', () => {
  finds(['lovelace ada', 'Ada  engines vip', 'Ada Byron <ada.lovelace@engines.example>'], {}, true);
  finds(['ada babbage'], {}, false);
});

it('compares phone numbers by their digits', () => {
  finds(
    ['0567', '40567', '1234 0567', '+49 151 12340567', '(0151) 1234-0567', '0049 151 12340567'],
    {},
    true,
  );
  finds(['4155550111', '415.555.0111', '555 0111'], {}, true);
  finds(['4155550112', '0151 1234', '567 1843'], { metadata: null }, false);
  finds(['0567', '555 0111'], { phone: null, metadata: null }, false);
});

it('finds nobody of whom nothing is stored', () => {
  finds(['a', '1'], { email: null, phone: null, metadata: null, importedCode: '' }, false);
});
