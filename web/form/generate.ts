import { writeFile } from 'node:fs/promises';
import { buildFormScript, FORM_SCRIPT } from './build.ts';

await writeFile(FORM_SCRIPT, await buildFormScript());
