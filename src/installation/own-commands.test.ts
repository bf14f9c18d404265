import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../config/config.ts';
import { inline, ownCommands } from './own-commands.ts';

const CHECKOUT = {
  root: '/srv/doorlist',
  script: '/srv/doorlist/src/main.ts',
  directory: '/srv/doorlist',
  host: 'box',
  isPod: false,
};
const PACKAGE = {
  ...CHECKOUT,
  root: '/usr/lib/node_modules/doorlist',
  script: '/usr/lib/node_modules/doorlist/dist/main.js',
  directory: '/home/ada',
};
const IMAGE = { ...CHECKOUT, script: '/usr/local/bin/doorlist', directory: '/data', host: '4f5e6a7b8c9d' };

const commands = (variables: Record<string, string>, place = CHECKOUT) => {
  const { command, variables: needed, secrets, start } = ownCommands(readConfig(variables), place);
  return [inline(needed, command), start, ...secrets];
};

it('commands say where the data is, the port and how this installation was installed', () => {
  assert.deepEqual(commands({}), ['npm run -s doorlist --', 'npm start']);
  assert.deepEqual(commands({ PORT: '4000', HOST: '0.0.0.0', DOORLIST_DATA_DIR: "/var/ada's" }), [
    `DOORLIST_DATA_DIR='/var/ada'\\''s' npm run -s doorlist --`,
    `DOORLIST_DATA_DIR='/var/ada'\\''s' PORT=4000 HOST=0.0.0.0 npm start`,
  ]);
  assert.deepEqual(
    commands({ DOORLIST_DATA_DIR: 'elsewhere' })[0],
    'DOORLIST_DATA_DIR=/srv/doorlist/elsewhere npm run -s doorlist --',
  );
  assert.deepEqual(
    commands({ DOORLIST_PUBLIC_URL: 'https://acme.example' }, { ...CHECKOUT, directory: '/home/ada' }),
    [
      'DOORLIST_DATA_DIR=/home/ada/data /srv/doorlist/bin/doorlist',
      'DOORLIST_DATA_DIR=/home/ada/data DOORLIST_PUBLIC_URL=https://acme.example /srv/doorlist/bin/doorlist serve',
    ],
  );
  assert.deepEqual(commands({}, PACKAGE), [
    'DOORLIST_DATA_DIR=/home/ada/data doorlist',
    'DOORLIST_DATA_DIR=/home/ada/data doorlist serve',
  ]);
});

it('commands for a container run in it, with its variables', () => {
  const variables = { DOORLIST_DATA_DIR: '/data', HOST: '0.0.0.0' };
  assert.deepEqual(commands(variables, IMAGE), ['docker exec 4f5e6a7b8c9d doorlist', null]);
  assert.deepEqual(commands(variables, { ...IMAGE, host: 'doorlist-0', isPod: true }), [
    'kubectl exec doorlist-0 -- doorlist',
    null,
  ]);
  assert.deepEqual(commands(variables, { ...IMAGE, host: 'box' }), ['doorlist', null]);
});

it('commands name the secrets that they need, and show none', () => {
  const databaseUrl = 'postgres://ada:secret@127.0.0.1/doorlist';
  const masterKey = Buffer.alloc(32, 7).toString('base64');
  assert.deepEqual(commands({ DATABASE_URL: databaseUrl, DOORLIST_DATA_DIR: '/var/keys' }), [
    'DOORLIST_DATA_DIR=/var/keys npm run -s doorlist --',
    'DOORLIST_DATA_DIR=/var/keys npm start',
    'DATABASE_URL',
  ]);
  assert.deepEqual(
    commands({ DATABASE_URL: databaseUrl, DOORLIST_MASTER_KEY: masterKey, DOORLIST_DATA_DIR: '/x' }),
    ['npm run -s doorlist --', 'npm start', 'DATABASE_URL', 'DOORLIST_MASTER_KEY'],
  );
});
