// Removes what names a host from package-lock.json: npm takes packages from the registry it is configured with.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
for (const entry of Object.values(lock.packages)) {
  delete entry.funding;
  delete entry.resolved;
  delete entry.deprecated;
}
writeFileSync(file, JSON.stringify(lock, null, 2) + '\n');
