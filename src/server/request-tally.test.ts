import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Registry } from 'prom-client';
import { RequestTally } from './request-tally.ts';

it('counts requests by route, method and status, and their durations in cumulative buckets', async () => {
  const tally = new RequestTally();
  const registry = new Registry();
  tally.register(registry);
  const lookup = { route: '/entries/:id', method: 'GET' };
  tally.count({ ...lookup, status: 200, seconds: 0.001 });
  tally.count({ ...lookup, status: 404, seconds: 0.003 });
  tally.count({ ...lookup, status: 'aborted', seconds: 60 });
  tally.count({ route: '/signup', method: 'POST', status: 201, seconds: 0.25 });
  const lines = (await registry.metrics()).split('\n');
  const of = (name: string) => lines.filter((line) => line.startsWith(`doorlist_http_request${name}`));
  assert.deepEqual(of('s_total'), [
    'doorlist_http_requests_total{route="/entries/:id",method="GET",status="200"} 1',
    'doorlist_http_requests_total{route="/entries/:id",method="GET",status="404"} 1',
    'doorlist_http_requests_total{route="/entries/:id",method="GET",status="aborted"} 1',
    'doorlist_http_requests_total{route="/signup",method="POST",status="201"} 1',
  ]);
  const durations = of('_duration').filter((line) => line.includes('GET'));
  assert.deepEqual(
    durations.map((line) => Number(line.split(' ')[1])),
    [1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 60.004, 3],
  );
  assert.match(durations[0] ?? '', /_bucket\{le="0\.001",route="\/entries\/:id",method="GET"\}/);
  assert.match(durations[13] ?? '', /_bucket\{le="\+Inf",/);
});
