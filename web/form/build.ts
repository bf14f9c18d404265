import path from 'node:path';
import { build } from 'vite';

/** What `/form.js` serves. It is kept in the repository, so that forms work where nothing was built. */
export const FORM_SCRIPT = path.join(import.meta.dirname, '../../src/http/form/form-script.js');

/** One classic script, which any page can load from another origin without further settings. */
export async function buildFormScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'], // The first with `light-dark()`.
      lib: {
        entry: path.join(import.meta.dirname, 'form-element.js'),
        formats: ['iife'],
        name: 'doorlistForm',
      },
    },
  });
  const [result] = Array.isArray(built) ? built : [built];
  if (!result || !('output' in result) || result.output.length !== 1) {
    throw new Error('the form must become one file');
  }
  return result.output[0].code;
}
