// Checks what can be checked without an editor: the files are well formed, what they name is there, and the grammar's expressions compile.
"use strict";

const fs = require("fs");
const path = require("path");

const read = (name) => JSON.parse(fs.readFileSync(path.join(__dirname, name), "utf8"));
const manifest = read("package.json");
const { languages, grammars, configuration } = manifest.contributes;
for (const { configuration: file } of languages) read(file);
for (const grammar of grammars) {
  const { scopeName, patterns, repository } = read(grammar.path);
  if (scopeName !== grammar.scopeName) throw new Error(`${grammar.path}: the scope is ${scopeName}`);
  const visit = (rule) => {
    for (const key of ["match", "begin", "end"]) if (rule[key]) new RegExp(rule[key]);
    if (rule.include && !repository[rule.include.slice(1)]) throw new Error(`${grammar.path}: there is no ${rule.include}`);
    for (const inner of rule.patterns ?? []) visit(inner);
  };
  patterns.forEach(visit);
  Object.values(repository).forEach(visit);
}
const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
for (const name of ["remora.path", "remora.arguments"]) {
  if (!restricted.includes(name) || !configuration.properties[name]) throw new Error(`${name} has to be restricted`);
}
require("child_process").execFileSync(process.execPath, ["--check", path.join(__dirname, manifest.main)]);
console.log("the extension is well formed");
