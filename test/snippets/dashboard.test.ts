import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formSnippets } from '../../web/src/pages/form/snippets.ts';
import { snippets } from './read-snippets.ts';

describe('the snippets in the dashboard', () => {
  for (const { language, code } of formSnippets('https://waitlist.example.com', 'dlf_…')) {
    it(`are those of the documentation, which are tried out: ${language}`, () => {
      const indentation = /^ +/gm;
      for (const block of snippets(language)) {
        if (block.startsWith("import 'react'")) continue; // The types are only in the documentation.
        const wanted = block.trim().replaceAll(indentation, '');
        assert.ok(code.replaceAll(indentation, '').includes(wanted), `${wanted}\nis not in\n${code}`);
      }
    });
  }
});
