// Loaded before everything else and by any Node: an old one could not even read the other files.
const { node: version } = process.versions;
if (Number(version.split('.')[0]) < 24) {
  process.stderr.write(
    `doorlist: Doorlist needs Node 24 or newer, and this is Node ${version}. On Linux and macOS (x64, arm64), an optional package brings the right one: install Doorlist again without leaving those out, or install Node from nodejs.org.\n`,
  );
  process.exit(1);
}
