import { writeFile } from 'node:fs/promises';
import { renderAdminTypes, TYPES_FILE } from '../test/support/admin-types.ts';

await writeFile(TYPES_FILE, await renderAdminTypes());
