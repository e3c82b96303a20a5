// Checks the documents that a server serves: the recommended rules of Redocly and Spectral for OpenAPI, and the AsyncAPI
// parser with its rules. Arguments: files of documents. Findings, warnings too, are printed, and make the exit status 1.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Parser } from '@asyncapi/parser';
import redocly from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

// What a rule finds and is right as it is. Each exception must be needed.
const exceptions = [
  {
    rule: 'no-ambiguous-paths', at: /^#\/paths\/~1games~1\{id\}~1(bulk-data|elements|status)$/,
    reason: 'an id is a UUID, so it is never "schemas"; OpenAPI matches the literal path first',
  },
  {
    rule: 'operation-success-response', at: /^paths\/\/ws\/get\/responses$/,
    reason: 'a WebSocket handshake succeeds with 101',
  },
  {
    rule: 'info-license-strict', at: /^#\/info\/license\/url$/, file: 'openapi-3.0.json',
    reason: 'a proprietary licence has no address, and OpenAPI 3.0 has no identifier',
  },
];

async function redoclyFindings(file) {
  const config = await redocly.createConfig({ extends: ['recommended'] });
  const problems = await redocly.lint({ ref: file, config });
  return problems.map((p) => ({ rule: p.ruleId, at: p.location[0]?.pointer ?? '', message: p.message }));
}

async function spectralFindings(file) {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [oas] });
  const results = await spectral.run(readFileSync(file, 'utf8'));
  return results.map((r) => ({ rule: String(r.code), at: r.path.join('/'), message: r.message }));
}

async function asyncFindings(file) {
  const { document, diagnostics } = await new Parser().parse(readFileSync(file, 'utf8'));
  const found = diagnostics.map((d) => ({ rule: String(d.code), at: d.path.join('/'), message: d.message }));
  return document ? found : [...found, { rule: 'parser', at: '', message: 'not an AsyncAPI document' }];
}

const needed = new Set();
let findings = 0;
for (const file of process.argv.slice(2)) {
  const name = basename(file);
  const all = name.startsWith('asyncapi') ? await asyncFindings(file) : [...(await redoclyFindings(file)), ...(await spectralFindings(file))];
  for (const f of all) {
    const exception = exceptions.find((e) => e.rule === f.rule && e.at.test(f.at) && (!e.file || e.file === name));
    if (exception) {
      needed.add(exception);
      continue;
    }
    findings++;
    console.log(`${name}: ${f.rule} at ${f.at}: ${f.message}`);
  }
}
for (const e of exceptions.filter((e) => !needed.has(e))) {
  findings++;
  console.log(`the exception of ${e.rule} at ${e.at} is not needed`);
}
process.exitCode = findings ? 1 : 0;
