/** better-auth-waitlist as its README sets it up. Copied into a folder that has it, and run there. */
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { waitlist } from 'better-auth-waitlist';
import pg from 'pg';

const port = Number(process.env.PORT);
const auth = betterAuth({
  baseURL: `http://127.0.0.1:${port}`,
  secret: 'a secret of a benchmark, which is long enough',
  database: new pg.Pool({ connectionString: process.env.DATABASE_URL }),
  rateLimit: { enabled: false },
  plugins: [waitlist({ enabled: true })],
});
await (await getMigrations(auth.options)).runMigrations();
const handle = toNodeHandler(auth);
createServer((request, response) => {
  if (request.url === '/readyz') response.end('{}');
  else handle(request, response);
}).listen(port, '127.0.0.1');
