import { writeFile } from 'node:fs/promises';
import { LIMITS_FILE, renderAdminApi, TYPES_FILE } from '../test/support/admin-types.ts';

const { types, limits } = await renderAdminApi();
await writeFile(TYPES_FILE, types);
await writeFile(LIMITS_FILE, limits);
