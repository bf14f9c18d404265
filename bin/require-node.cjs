// Loaded before everything else and by any Node: an old one could not even read the other files.
const { node: version } = process.versions;
if (Number(version.split('.')[0]) < 24) {
  process.stderr.write(
    `doorlist: Doorlist needs Node 24 or newer, and this is Node ${version}. \`npm ci\` installs the right one on Linux (x64, arm64) and macOS; elsewhere, or where optional packages were left out, install it from nodejs.org.\n`,
  );
  process.exit(1);
}
