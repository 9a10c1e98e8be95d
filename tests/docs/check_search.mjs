// SPDX-License-Identifier: Apache-2.0
// Asks the search of the site what its visitors ask. The page that answers is among the first three that are found.
// usage: node check_search.mjs FOLDER_OF_SITE
import {readFileSync} from 'node:fs';
import {runInThisContext} from 'node:vm';

const questions = {
  'reference/questions.html': ['how many nodes', 'how many nodes do I ask for', 'not checked', 'not trusted', 'what if not checked',
    'column a run to', 'Ubuntu', 'macOS', 'Windows', 'Open MPI', 'conda', 'GPU', 'CUDA', 'can I use a GPU', 'Fortran', 'call it from Fortran',
    'shell completion', 'how do I cite it', 'citation', 'Extra-P', 'compare with Extra-P', '1000 or 1024', 'slower on more ranks'],
  'reference/formats.html': ['trace format', 'machine file', 'model file'],
  'reference/programs.html': ['json', 'json of predict', 'exit status'],
  'explanation/model.html': ['prediction interval', 'quiet time'],
};

// The search is a worker, which hears messages of the types setup (0) and query (2).
let hear, answer;
Object.assign(globalThis, {self: globalThis, postMessage: message => answer(message.data),
                           addEventListener: (_, listener) => { hear = listener; }});
const ask = (type, data) => new Promise(resolve => { answer = resolve; hear({data: {type, data}}); });
const read = file => readFileSync(`${process.argv[2]}/${file}`, 'utf8');
const config = JSON.parse(read('index.html').match(/id="__config"[^>]*>(.*?)</)[1]);
runInThisContext(read(config.search));
await ask(0, {...JSON.parse(read('search/search_index.json')),
              options: {pipeline: config.translations['search.config.pipeline'].split(', '), suggestions: false}});

for (const [page, words] of Object.entries(questions).flatMap(([page, asked]) => asked.map(words => [page, words]))) {
  const found = (await ask(2, words)).items.slice(0, 3).map(item => item[0].location.split('#')[0]);
  if (!found.includes(page)) {
    console.log(`'${words}' finds ${found.join(', ') || 'nothing'}, not ${page}`);
    process.exitCode = 1;
  }
}
