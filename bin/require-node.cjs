// Loaded before everything else and by any Node: an old one could not even read the other files.
const { node: version } = process.versions;
if (Number(version.split('.')[0]) < 24) {
  const [problem = ''] = (process.env.PINNED_NODE_PROBLEM || '').split('\n');
  const advice = problem.includes('libatomic')
    ? 'Install the package libatomic1 (Debian, Ubuntu) or libatomic (Fedora, RHEL)'
    : 'Install what it lacks';
  const why = problem
    ? `The one that npm installed with Doorlist cannot run here: ${problem}. ${advice}, or Node 24 or newer from nodejs.org.`
    : 'On Linux and macOS (x64, arm64), an optional package brings the right one: install Doorlist again without leaving those out, or install Node from nodejs.org.';
  process.stderr.write(`doorlist: Doorlist needs Node 24 or newer, and this is Node ${version}. ${why}\n`);
  process.exit(75); // As in src/lib/exit-codes.ts: the right one may be being installed.
}
