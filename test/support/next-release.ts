import './next-migrations.ts';

/** The command line of the next release, as a process of its own. */
await import('../../src/main.ts');
