import { killWorkers } from './citus-faults.ts';
import { killCommands, killImports, moveByBackups, moveByCopies } from './command-faults.ts';
import { fillDisk, turnDiskReadOnly } from './disk-faults.ts';
import {
  failOver,
  restartPostgres,
  takeConnections,
  terminateSessions,
  turnReadOnly,
} from './postgres-faults.ts';
import type { Scenario } from './scenario.ts';
import { cutOff, killAgainAndAgain, restartInTurn, stepClocks, suspend } from './server-faults.ts';

export const SCENARIOS: readonly Scenario[] = [
  { name: 'kill -9', engine: 'sqlite', instances: 1, rounds: [50, 4], faults: killAgainAndAgain },
  { name: 'kill -9', engine: 'postgres', instances: 1, rounds: [50, 3], faults: killAgainAndAgain },
  {
    name: 'kill -9 of one of two',
    engine: 'postgres',
    instances: 2,
    rounds: [20, 3],
    faults: killAgainAndAgain,
  },
  {
    name: 'kill -9 of one of three',
    engine: 'postgres',
    instances: 3,
    rounds: [10, 2],
    faults: killAgainAndAgain,
  },
  {
    name: 'one of three stops answering',
    engine: 'postgres',
    instances: 3,
    rounds: [10, 2],
    faults: suspend,
  },
  { name: 'one of two is cut off', engine: 'postgres', instances: 2, rounds: [10, 2], faults: cutOff },
  { name: 'PostgreSQL restarts', engine: 'postgres', instances: 2, rounds: [10, 1], faults: restartPostgres },
  {
    name: 'sessions are terminated',
    engine: 'postgres',
    instances: 2,
    rounds: [20, 3],
    faults: terminateSessions,
  },
  {
    name: 'no connection is left',
    engine: 'postgres',
    instances: 2,
    rounds: [8, 1],
    faults: takeConnections,
  },
  {
    name: 'the database is read-only',
    engine: 'postgres',
    instances: 2,
    rounds: [8, 1],
    faults: turnReadOnly,
  },
  {
    ...{ name: 'failover to a synchronous standby', engine: 'postgres', instances: 2, rounds: [1, 1] },
    ...{ faults: failOver, paired: true },
  },
  {
    ...{ name: 'a Citus worker is killed', engine: 'postgres', instances: 2, rounds: [8, 2] },
    ...{ faults: killWorkers, spread: true },
  },
  { name: 'clocks step', engine: 'sqlite', instances: 1, rounds: [12, 3], faults: stepClocks },
  { name: 'clocks step', engine: 'postgres', instances: 2, rounds: [12, 3], faults: stepClocks },
  {
    // The write-ahead log alone can have 64 MiB.
    ...{ name: 'the disk is full', engine: 'sqlite', instances: 1, rounds: [8, 2] },
    ...{ faults: fillDisk, diskMegabytes: 128 },
  },
  {
    ...{ name: 'the disk is full', engine: 'postgres', instances: 2, rounds: [5, 1] },
    ...{ faults: fillDisk, diskMegabytes: 250 },
  },
  {
    ...{ name: 'the disk is read-only', engine: 'sqlite', instances: 1, rounds: [5, 1] },
    ...{ faults: turnDiskReadOnly, diskMegabytes: 64 },
  },
  { name: 'commands are killed', engine: 'sqlite', instances: 1, rounds: [16, 4], faults: killCommands },
  { name: 'commands are killed', engine: 'postgres', instances: 1, rounds: [16, 4], faults: killCommands },
  { name: 'imports are killed', engine: 'sqlite', instances: 1, rounds: [8, 2], faults: killImports },
  { name: 'imports are killed', engine: 'postgres', instances: 2, rounds: [8, 2], faults: killImports },
  { name: 'it moves by killed copies', engine: 'sqlite', instances: 1, rounds: [4, 2], faults: moveByCopies },
  {
    name: 'it moves by killed restores',
    engine: 'sqlite',
    instances: 1,
    rounds: [4, 1],
    faults: moveByBackups,
  },
  {
    ...{ name: 'SIGTERM behind a balancer', engine: 'postgres', instances: 2, rounds: [10, 2] },
    ...{ faults: restartInTurn, balanced: true },
  },
];
