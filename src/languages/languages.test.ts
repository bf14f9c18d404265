import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { chooseLanguage, LANGUAGES, languageOf, textsIn } from './languages.ts';

/** Every text of a language with its path; functions are called with values that can be recognized. */
function flatten(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'string') return new Map([[path, value]]);
  if (typeof value === 'function') {
    return new Map(
      [0, 1, 2, 5, 1_000_000].flatMap((n) => [...flatten(value(n, `and-${n}`), `${path}(${n})`)]),
    );
  }
  return new Map(
    Object.entries(value as object)
      .filter(([key]) => key !== 'formats')
      .flatMap(([key, inner]) => [...flatten(inner, path === '' ? key : `${path}.${key}`)]),
  );
}

describe('languages', () => {
  for (const language of LANGUAGES) {
    it(`has every text in ${language}, and none of them empty or with a placeholder left`, () => {
      for (const [path, text] of flatten(textsIn(language))) {
        assert.match(text, /\S/, path);
        assert.doesNotMatch(text, /undefined|NaN|\$\{/, path);
        assert.doesNotMatch(text, /\be-mail/i, `${path}: lines could break at the hyphen`);
        if (!path.startsWith('mail.templates')) assert.doesNotMatch(text, /#/, path);
      }
    });

    it(`uses the same template variables in ${language} as in English`, () => {
      const english = textsIn('en').mail.templates;
      for (const [kind, { subject, body }] of Object.entries(textsIn(language).mail.templates)) {
        const used = (text: string) => [...new Set(text.match(/\{[{%].*?[%}]\}/g))].sort();
        const template = english[kind as keyof typeof english];
        assert.deepEqual(used(body).filter(isVariable), used(template.body).filter(isVariable), kind);
        assert.deepEqual(used(subject), used(template.subject), kind);
      }
    });
  }

  it('has no text that nothing uses', () => {
    const root = path.join(import.meta.dirname, '..');
    const code = globSync('**/*.{ts,js}', { cwd: root })
      .filter((file) => !file.startsWith('languages/'))
      .map((file) => readFileSync(path.join(root, file), 'utf8'))
      .join('\n');
    const used = new Set(code.match(/\w+/g));
    const names = [...flatten(textsIn('en')).keys()]
      .filter((key) => !key.startsWith('mail.templates'))
      .map((key) => key.replace(/\(.*/, '').split('.').at(-1) ?? '');
    assert.deepEqual(
      [...new Set(names)].filter((name) => !used.has(name)),
      [],
    );
  });

  it('does not leave a text in English by mistake', () => {
    const english = flatten(textsIn('en'));
    for (const language of LANGUAGES.filter((other) => other !== 'en')) {
      const same = [...flatten(textsIn(language))].filter(([path, text]) => english.get(path) === text);
      const paths = same.map(([path]) => path.replace(/\(.*/, ''));
      // Words and marks that are the same in both languages.
      const shared = new Set(['dir', 'stop', 'form.code', 'form.optional', 'form.emailExample']);
      assert.deepEqual(
        [...new Set(paths)].filter((path) => !shared.has(path)),
        [],
        language,
      );
    }
  });

  it('counts and writes numbers and dates as the language does', () => {
    const referrals = (n: number) => LANGUAGES.map((language) => textsIn(language).status.referrals(n));
    assert.equal(referrals(1)[0], '1 person joined with your link.');
    assert.equal(referrals(2)[1], '2 Personen haben sich über deinen Link angemeldet.');
    assert.equal(textsIn('de').status.position(1_234_567), 'Du bist auf Platz 1.234.567.');
    assert.equal(
      textsIn('fr').status.referrals(1_000_000).replace(/\s/g, ' '),
      '1 000 000 de personnes se sont inscrites avec votre lien.',
    );
    const at = Date.parse('2026-11-15T09:30:00Z');
    assert.equal(textsIn('en').formats.date(at), '15\u00a0November 2026 at 09:30\u00a0UTC');
    assert.match(textsIn('de').formats.date(at), /^15\.\u00a0November 2026 um 09:30\u00a0UTC$/);
    assert.match(textsIn('ja').formats.date(at), /^2026年11月15日 9:30\u00a0UTC$/);
  });
});

function isVariable(text: string): boolean {
  return text.startsWith('{{');
}

describe('languageOf', () => {
  it('recognizes tags of our languages in any case and with any region', () => {
    const tags = ['de', 'DE', 'de-AT', 'pt_BR', 'zh-Hans-CN', ' ja ', 'fr-CA'];
    assert.deepEqual(tags.map(languageOf), ['de', 'de', 'de', 'pt', 'zh', 'ja', 'fr']);
  });

  it('recognizes nothing else', () => {
    for (const tag of [
      '',
      'nl',
      'deu',
      'german',
      'de-',
      'de at',
      'd',
      '*',
      '../de',
      42,
      null,
      undefined,
      ['de'],
    ])
      assert.equal(languageOf(tag), undefined, String(tag));
  });
});

describe('chooseLanguage', () => {
  const cases: [string | undefined, unknown, string][] = [
    [undefined, undefined, 'en'],
    ['', undefined, 'en'],
    ['de-DE,de;q=0.9,en;q=0.8', undefined, 'de'],
    ['nl, fr;q=0.7, de;q=0.9', undefined, 'de'],
    ['de;q=0.5, fr;q=0.5', undefined, 'de'],
    ['de;q=0, *;q=0.1', undefined, 'en'],
    ['*, ja', undefined, 'en'],
    ['ja;q=abc, es;q=0.1', undefined, 'es'],
    ['ja;q=2, es;q=0.1', undefined, 'es'],
    ['JA-jp ; Q=0.9', undefined, 'ja'],
    [',;,q=1,;;;', undefined, 'en'],
    ['de', 'fr', 'fr'],
    ['de', 'klingon', 'de'],
    ['de', ['fr'], 'de'],
    [`${'x'.repeat(5_000)},de`, undefined, 'en'],
  ];
  for (const [header, parameter, expected] of cases) {
    it(`chooses ${expected} for ${String(header).slice(0, 40)} and ${String(parameter)}`, () => {
      assert.equal(chooseLanguage(header, parameter), expected);
    });
  }

  it('falls back to the language of the waitlist', () => {
    assert.equal(chooseLanguage('nl', undefined, 'es'), 'es');
    assert.equal(chooseLanguage('fr;q=0.1', undefined, 'es'), 'fr');
  });
});
